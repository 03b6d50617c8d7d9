import type { Desk } from './parts'
import { h, short, visible } from './dom'
import { menu } from './menu'
import { columnMenu } from './panel/roles'
import { nodeKey } from './scene'

// telling is what the reader says on the canvas: places in time, edges, and names of bands.
export function telling(d: Desk) {
  // renameBand lets the reader write the title of a band in its place. It changes no run.
  function renameBand(index: number): void {
    const k = d.session?.knowledge
    const b = k?.bands()[index]
    const el = d.ui.graph.querySelector(`[data-title="${index}"]`)
    if (!k || !b || !el) return
    const [at, stage] = [el.getBoundingClientRect(), d.ui.stage.getBoundingClientRect()]
    const done = (keep: boolean) => {
      if (!field.isConnected) return
      const name = field.value.trim()
      field.remove()
      if (!keep || name === b.title) return
      d.session!.note('the name of a band', () => (name === '' ? k.named.delete(b.band) : k.named.set(b.band, name.slice(0, 60))))
      d.redraw(false)
    }
    const field = h('input', { class: 'field rename', 'aria-label': 'Name of the band', value: b.title, blur: () => done(true), keydown: (e: KeyboardEvent) => {
      e.stopPropagation()
      if (e.key === 'Enter' || e.key === 'Escape') done(e.key === 'Enter')
    } })
    field.style.left = `${at.left - stage.left - 8}px`
    field.style.top = `${at.top - stage.top - 8}px`
    d.ui.stage.append(field)
    field.select()
  }

  function state(from: string, to: string, what: 'causes' | 'cannot'): void {
    d.session!.change(`${visible(from)} ${what === 'causes' ? 'causes' : 'cannot cause'} ${visible(to)}`, () => d.session!.knowledge.state(from, to, what))
  }
  function drawnEdge(from: string, to: string): void {
    if (d.own.on) d.own.toggle(from, to)
    else if (d.session) state(from, to, 'causes')
  }
  function linkTo(v: number): void {
    const l = d.linking!
    d.linking = undefined
    d.ui.toast.hidden = true
    document.body.classList.remove('linking')
    const to = d.app!.model.page.names[v]!
    if (l.from !== to) d.own.on ? d.own.toggle(l.from, to) : state(l.from, to, l.what)
  }
  function drop(key: string, at: { x: number; y: number }): void {
    if (!d.session || d.own.on || key.startsWith('g')) return
    const name = d.nameOf(key)
    const names = d.store.now.picked.includes(Number(key.slice(1))) && d.store.now.picked.length > 1 ? d.store.now.picked.map((v) => d.app!.model.page.names[v]!) : [name]
    const k = d.session.knowledge
    const bands = k.bands()
    const zone = zoneAt(at)
    const inside = d.canvas.bandAt(at.y - d.ui.graph.getBoundingClientRect().top)
    const band = zone === 'first' ? Math.min(-1, ...[...k.band.values()].map((b) => (bands.length > 0 && bands[0]!.band < 0 ? b - 1 : b))) : zone === 'last' ? Math.max(1, ...[...k.band.values()].map((b) => (bands.length > 0 && bands.at(-1)!.band > 0 ? b + 1 : b))) : inside !== undefined ? bands[inside]!.band : undefined
    if (band === undefined || names.every((n) => (k.band.get(n) ?? 0) === band)) return
    d.session.change(`${names.map(visible).join(', ')}: ${band < 0 ? 'earlier' : band > 0 ? 'later' : 'in between'}`, () => names.forEach((n) => d.session!.knowledge.move(n, band)))
  }
  const zoneAt = (at: { x: number; y: number }) => [...d.ui.zones.children].find((z) => {
    const r = z.getBoundingClientRect()
    return at.y >= r.top && at.y <= r.bottom && at.x >= r.left && at.x <= r.right
  })?.getAttribute('data-zone')
  function dragging(key: string | undefined, at?: { x: number; y: number }): void {
    const show = key !== undefined && !key.startsWith('g') && d.session !== undefined && !d.own.on
    d.ui.zones.hidden = !show
    if (!show || !at) return
    const zone = zoneAt(at)
    for (const z of d.ui.zones.children) z.classList.toggle('on', z.getAttribute('data-zone') === zone)
  }
  function contextMenu(what: { node?: string; line?: string }, at: { x: number; y: number }): void {
    if (!d.app) return
    if (what.node?.startsWith('g')) return
    if (what.node !== undefined) {
      const name = d.nameOf(what.node)
      const v = Number(what.node.slice(1))
      if (d.session && !d.own.on) return columnMenu(d.app, name, at, d.store.now.picked.includes(v) && d.store.now.picked.length > 1 ? d.store.now.picked.map((p) => d.app!.model.page.names[p]!) : [name])
      return menu(visible(short(name, 30)), [{ text: 'What drives it?', act: () => d.store.set({ picked: [v], tab: 'drivers' }) }, { text: 'What if it changes?', act: () => d.store.set({ picked: [v], tab: 'whatif' }) }, ...(d.own.on ? [{ text: 'It acts on …', act: () => beginLink(name, 'causes') }] : [])], at)
    }
    if (what.line === undefined || what.line.startsWith('b') || !d.session) return
    const [a, b] = d.ends(what.line).map((v) => d.app!.model.page.names[v]!)
    if (a === undefined || b === undefined) return
    const [x, y] = [short(a, 20), short(b, 20)]
    if (d.own.on) return menu('Edge', [{ text: 'Take the edge away', act: () => d.own.toggle(a, b) }, { text: `Turn it: ${y} → ${x}`, act: () => d.own.toggle(b, a) }], at)
    menu(`${x} and ${y}`, [
      { text: `${x} causes ${y}`, act: () => state(a, b, 'causes') }, { text: `${y} causes ${x}`, act: () => state(b, a, 'causes') },
      { text: `${x} cannot cause ${y}`, separate: true, act: () => state(a, b, 'cannot') }, { text: `${y} cannot cause ${x}`, act: () => state(b, a, 'cannot') },
      { text: 'Cross it out: neither causes the other', act: () => d.session!.change(`no edge between ${x} and ${y}`, () => (d.session!.knowledge.state(a, b, 'cannot'), d.session!.knowledge.state(b, a, 'cannot'))) },
    ], at)
  }
  function beginLink(from: string, what: 'causes' | 'cannot'): void {
    d.linking = { from, what }
    document.body.classList.add('linking')
    d.toast(h('span', {}, `Select the column that ${visible(from)} ${what === 'causes' ? 'causes' : 'cannot cause'}.`), 0)
    d.canvas.focus(nodeKey(d.app!.model.index.get(from)!))
  }
  return { beginLink, linkTo, drop, dragging, drawnEdge, contextMenu, renameBand }
}
