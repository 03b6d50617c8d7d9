import type { Desk } from './parts'

// ownGraph goes to the graph that the reader draws, and back.
export function ownGraph(d: Desk) {
  function showOwn(): void {
    const like = d.session?.page
    const names = like?.names ?? d.session?.variables() ?? []
    const picked = d.store.now.picked
    d.load(d.own.page(names, like), false)
    d.store.set({ tab: 'own', picked })
    d.panel()
  }
  function enterOwn(edges?: { from: string; to: string }[]): void {
    d.own.on = true
    if (edges) d.own.edges = edges
    d.asker.hide()
    d.store.set({ picked: [], how: 'graph' })
    showOwn()
  }
  function leaveOwn(): void {
    d.own.on = false
    d.store.set({ tab: 'explore', picked: [] })
    if (d.session?.page) d.load(d.session.page, false)
  }
  function estimate(): void {
    const s = d.session!
    const names = s.page?.names ?? s.variables()
    const drawnEdges = d.own.edges
    d.own.on = false
    d.store.set({ tab: 'explore' })
    s.change('your own graph', () => {
      const k = s.knowledge.copy()
      k.band.clear()
      k.pin.clear()
      k.require = [...drawnEdges]
      k.forbid = names.flatMap((a) => names.filter((b) => a !== b && !drawnEdges.some((e) => e.from === a && e.to === b)).map((b) => ({ from: a, to: b })))
      s.knowledge = k
    })
  }
  return { enterOwn, leaveOwn, showOwn, estimate }
}
