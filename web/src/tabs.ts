import { h } from './dom'

interface Tab {
  id: string
  title: string
}

// tabs is a row of tabs over one panel, by the ARIA pattern: arrow keys move, Home and End jump.
export function tabs(list: Tab[], choose: (id: string) => void): { list: HTMLElement; panel: HTMLElement; select: (id: string) => void } {
  const panel = h('div', { role: 'tabpanel', id: 'panel', tabindex: 0 })
  const buttons = list.map(({ id, title }) =>
    h('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': 'panel', click: () => choose(id) }, title),
  )
  const move = (e: KeyboardEvent) => {
    const k = buttons.indexOf(e.target as HTMLButtonElement)
    const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: -1 }[e.key]
    if (k < 0 || to === undefined) return
    const next = (to + buttons.length) % buttons.length
    choose(list[next]!.id)
    buttons[next]!.focus()
    e.preventDefault()
  }
  const select = (id: string) => {
    buttons.forEach((b, k) => {
      const on = list[k]!.id === id
      b.setAttribute('aria-selected', String(on))
      b.tabIndex = on ? 0 : -1
    })
    panel.setAttribute('aria-labelledby', `tab-${id}`)
  }
  return { list: h('div', { role: 'tablist', 'aria-label': 'Details', keydown: move }, buttons), panel, select }
}
