import { bdi, h, replace } from './dom'

const most = 30

// searchBox is a combobox over names: type, arrows, Enter, Esc.
export function searchBox(all: () => string[], choose: (v: number, drives: boolean) => void): HTMLElement {
  let names: string[] = []
  let drives = false
  let found: number[] = []
  let at = 0
  const list = h('ul', { id: 'found', role: 'listbox', 'aria-label': 'Columns found', hidden: true })
  const status = h('span', { class: 'unseen', role: 'status' })
  const input = h('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Find a column, or “what drives …”',
    autocomplete: 'off',
    spellcheck: 'false',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
    'aria-label': 'Find a column, or ask what drives one',
    input: () => look(),
    keydown: (e: KeyboardEvent) => {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        if (found.length === 0) look()
        else mark((at + (e.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length)
        e.preventDefault()
      } else if (e.key === 'Enter' && found.length > 0) {
        take(found[at]!)
        e.preventDefault()
      } else if (e.key === 'Escape') {
        close()
        input.value = ''
        e.stopPropagation()
      }
    },
    blur: () => close(),
  })

  // Names that begin with the words come first, then those that have them anywhere.
  function look(): void {
    names = all()
    const lower = names.map((n) => n.toLocaleLowerCase())
    const typed = input.value.trim().toLocaleLowerCase()
    drives = /^what +drives/.test(typed)
    const text = typed.replace(/^what +drives */, '').replace(/\?$/, '').trim()
    if (text === '') return close()
    const first: number[] = []
    const later: number[] = []
    lower.forEach((n, v) => {
      const k = n.indexOf(text)
      if (k === 0) first.push(v)
      else if (k > 0) later.push(v)
    })
    const both = [...first, ...later]
    found = both.slice(0, most)
    replace(
      list,
      found.map((v, k) =>
        h('li', { role: 'option', id: `found${k}`, 'aria-selected': 'false', mousedown: (e: MouseEvent) => e.preventDefault(), click: () => take(v) }, drives ? h('span', { class: 'dim' }, 'what drives ') : '', bdi(names[v]!, 60)),
      ),
    )
    status.textContent = both.length === 0 ? 'Nothing found' : `${both.length} found`
    if (found.length === 0) return close()
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    mark(0)
  }
  function mark(k: number): void {
    at = k
    ;[...list.children].forEach((li, i) => li.setAttribute('aria-selected', String(i === k)))
    list.children[k]?.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', `found${k}`)
  }
  function close(): void {
    found = []
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  function take(v: number): void {
    close()
    input.value = ''
    choose(v, drives)
    input.blur()
  }
  return h('div', { class: 'search' }, input, h('kbd', { 'aria-hidden': 'true' }, '/'), list, status)
}
