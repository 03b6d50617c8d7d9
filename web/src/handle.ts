import type { Canvas } from './canvas'
import { h, replace } from './dom'

// Handle is the control of “what if” on the box itself: a slider, or the categories. It moves the control of the panel, which has the
// same values, so that both say the same.
export class Handle {
  private key: string | undefined

  constructor(private readonly host: HTMLElement, private readonly canvas: Canvas) {}

  // hold shows the control of the panel at a box, or nothing.
  hold(key: string | undefined, panel: HTMLElement): void {
    const given = key === undefined ? null : panel.querySelector<HTMLElement>('#value')
    this.key = given ? key : undefined
    this.host.hidden = given === null
    if (!given) return
    if (given instanceof HTMLInputElement) {
      const said = h('output', { class: 'n' }, given.getAttribute('aria-valuetext') ?? '')
      const own = h('input', { type: 'range', min: given.min, max: given.max, step: given.step, value: given.value, 'aria-label': 'Value at the column', input: () => {
        given.value = own.value
        given.dispatchEvent(new Event('input', { bubbles: true }))
      } })
      given.addEventListener('input', () => {
        own.value = given.value
        said.textContent = given.getAttribute('aria-valuetext') ?? ''
        this.move()
      })
      replace(this.host, own, said)
    } else replace(this.host, ...this.chips(given))
    this.move()
  }

  private chips(given: HTMLElement): HTMLElement[] {
    const all = [...given.querySelectorAll('button')].slice(0, 4)
    const own = all.map((b) => h('button', { type: 'button', class: 'chip', 'aria-pressed': b.getAttribute('aria-pressed') ?? 'false', click: () => b.click() }, b.textContent))
    given.addEventListener('input', () => own.forEach((c, i) => c.setAttribute('aria-pressed', all[i]!.getAttribute('aria-pressed') ?? 'false')))
    return own
  }

  // move follows the box.
  move(): void {
    const at = this.key === undefined ? undefined : this.canvas.place(this.key)
    if (!at) return void (this.host.hidden = true)
    const [w, room] = [this.host.offsetWidth, this.canvas.host.clientWidth]
    this.host.style.left = `${Math.max(8, Math.min(at.x - w / 2, room - w - 8))}px`
    this.host.style.top = `${at.y + at.h / 2 + 4}px`
  }
}
