import type { App } from './app'
import { graphOf } from './app'
import { size } from './gain'

// graphKeys walks the graph by keyboard. Enter holds a variable, so that the next ones are looked at together with it.
export function graphKeys(app: App, host: HTMLElement): void {
  let held: number | undefined
  const { page } = app.model
  const at = () => app.store.now.picked.at(-1)
  const go = (v: number | undefined) => {
    if (v === undefined) return
    if (held !== undefined && held !== v) app.store.set({ picked: [held, v], path: undefined, tab: 'explore' })
    else app.store.only(v)
    app.canvas.reveal(v)
  }
  const strongest = (list: number[], of: (u: number) => number) =>
    list.toSorted((a, b) => of(b) - of(a))[0] ?? undefined
  const beside = (v: number, dir: number) => {
    const nodes = page.drawings[app.store.now.drawing]!.nodes
    const [x, y] = nodes[v]!
    let best: number | undefined
    let least = Infinity
    nodes.forEach(([u, w], k) => {
      const dx = (u - x) * dir
      if (k === v || dx <= 0 || app.canvas.cy.getElementById(`n${k}`).hasClass('hidden')) return
      const cost = dx + 3 * Math.abs(w - y)
      if (cost < least) [least, best] = [cost, k]
    })
    return best
  }
  host.addEventListener('keydown', (e) => {
    const g = graphOf(app)
    const v = at()
    let used = true
    switch (e.key) {
      case 'ArrowUp':
        go(v === undefined ? g.order[0] : strongest(g.parents[v]!, (u) => size(g.edge(u, v))))
        break
      case 'ArrowDown':
        go(v === undefined ? g.order[0] : strongest(g.children[v]!, (u) => size(g.edge(v, u))))
        break
      case 'ArrowLeft':
      case 'ArrowRight':
        go(v === undefined ? g.order[0] : beside(v, e.key === 'ArrowLeft' ? -1 : 1))
        break
      case 'Enter':
      case ' ':
        held = held === undefined ? v : undefined
        break
      case '+':
      case '=':
        app.canvas.zoom(1.3)
        break
      case '-':
        app.canvas.zoom(1 / 1.3)
        break
      case '0':
        app.canvas.fit()
        break
      case 'Escape':
        held = undefined
        app.store.clear()
        break
      default:
        used = false
    }
    if (used) e.preventDefault()
  })
  app.store.listen((s) => {
    if (s.picked.length === 0) held = undefined
  })
}
