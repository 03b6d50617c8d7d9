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
    const node = (k: number) => app.canvas.cy.getElementById(`n${k}`)
    const { x, y } = node(v).position()
    let best: number | undefined
    let least = Infinity
    page.names.forEach((_, k) => {
      const at = node(k).position()
      const dx = (at.x - x) * dir
      if (k === v || dx <= 0 || !node(k).visible()) return
      const cost = dx + 3 * Math.abs(at.y - y)
      if (cost < least) [least, best] = [cost, k]
    })
    return best
  }
  // boxKey moves between the groups of the overview. It reports whether it used the key.
  const boxKey = (key: string): boolean => {
    const { box, opened } = app.store.now
    const { overview } = app.canvas
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key]
    if (by && key === 'ArrowDown' && box !== undefined && opened.has(box)) go(overview.clusters[box]!.members[0])
    else if (by) {
      const next = overview.beside(box, by[0]!, by[1]!)
      app.store.set({ box: next })
      app.canvas.revealBox(next)
    } else if ((key === 'Enter' || key === ' ') && box !== undefined) app.store.toggle(box)
    else return false
    return true
  }
  host.addEventListener('keydown', (e) => {
    const g = graphOf(app)
    const v = at()
    let used = true
    const boxes = app.store.now.how === 'groups' && !app.store.now.local
    if (boxes && v === undefined && boxKey(e.key)) return e.preventDefault()
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
        if (boxes && v !== undefined) app.store.set({ box: app.canvas.overview.of[v] })
        e.stopPropagation() // the page clears the selection as well
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
