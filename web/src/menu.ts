import { h } from './dom'

export interface Choice {
  text: string
  on?: boolean // is chosen
  act: () => void
  separate?: boolean // a line above
  disabled?: boolean
}

let close = () => {}

// menu opens a list of choices at a place of the window. Arrow keys walk it, Escape closes it, and the focus goes back.
export function menu(title: string, choices: Choice[], at: { x: number; y: number }): void {
  close()
  const before = document.activeElement as HTMLElement | null
  const items = choices.map((c) => h('button', { type: 'button', role: c.on === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': c.on === undefined ? undefined : String(c.on), class: c.separate ? 'separate' : '', disabled: c.disabled, tabindex: -1, click: () => {
    close()
    c.act()
  } }, c.text))
  const box = h('div', { class: 'menu', role: 'menu', 'aria-label': title, keydown: (e: KeyboardEvent) => {
    const k = items.indexOf(document.activeElement as HTMLButtonElement)
    const way = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0
    if (way !== 0) items[(k + way + items.length) % items.length]!.focus()
    else if (e.key === 'Escape' || e.key === 'Tab') close()
    else return
    e.preventDefault()
    e.stopPropagation()
  } }, h('p', { class: 'menu-title', 'aria-hidden': 'true' }, title), items)
  const away = (e: Event) => {
    if (!box.contains(e.target as Node)) close()
  }
  close = () => {
    close = () => {}
    removeEventListener('pointerdown', away, true)
    const inside = box.contains(document.activeElement)
    box.remove()
    if (inside) before?.focus?.()
  }
  document.body.append(box)
  box.style.left = `${Math.max(8, Math.min(at.x, innerWidth - box.offsetWidth - 8))}px`
  box.style.top = `${Math.max(8, Math.min(at.y, innerHeight - box.offsetHeight - 8))}px`
  addEventListener('pointerdown', away, true)
  items.find((i) => !i.disabled)?.focus()
}

// below is the place under a button, for its menu.
export const below = (el: Element): { x: number; y: number } => {
  const r = el.getBoundingClientRect()
  return { x: r.left, y: r.bottom + 4 }
}
