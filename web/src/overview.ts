import type cytoscape from 'cytoscape'
import { columnsFor, inRows, place } from './boxes'
import type { Emphasis } from './canvas'
import { drawnMark } from './certainty'
import { clusters, title, type Cluster } from './clusters'
import { all } from './data'
import { plural, visible } from './dom'
import { arrange } from './gather'
import { size } from './gain'
import type { EdgeView, Model } from './view'

// A Bundle is the line for all edges between two boxes, or between a box and a variable.
export interface Bundle {
  source: string // ids of the drawing library: g for a box, n for a variable
  target: string
  edges: EdgeView[]
  forward: number // directed edges from source to target
  back: number
}

export const boxSize: [w: number, h: number] = [204, 50]
const inset = 22 // px between the frame of an open box and its variables
const wide = 620 // px of the rows in an open box

// Overview shows groups of variables as boxes. An open box shows its variables in its place, and the others make room.
export class Overview {
  on = false
  readonly clusters: Cluster[]
  readonly of: number[] = [] // group of each variable
  readonly titles: string[]
  bundles = new Map<string, Bundle>()
  private readonly rank: number[]
  private readonly links: { a: number; b: number; n: number }[]
  private rows: number[][] = []
  private places = new Map<number, [x: number, y: number]>() // middles of the boxes
  private opened: ReadonlySet<number> = new Set()
  private drawn = '' // what the lines on the screen stand for
  private readonly inner = new Map<number, { at: Map<number, { x: number; y: number; layer: number }>; w: number; h: number }>()

  constructor(
    private readonly cy: cytoscape.Core,
    private readonly model: Model,
  ) {
    const { names, results } = model.page
    const ties = results.flatMap(({ result }) => all(result).map((e) => ({ from: model.index.get(e.from)!, to: model.index.get(e.to)!, weight: size(e) || 0.3 })))
    this.clusters = clusters(names, ties)
    this.titles = this.clusters.map((c) => title(names, c))
    this.clusters.forEach((c, k) => c.members.forEach((v) => (this.of[v] = k)))
    const order = results[0]?.result.certificate.order ?? names
    const at = new Map(order.map((name, k) => [model.index.get(name)!, k]))
    this.rank = this.clusters.map((c) => (c.alone ? Infinity : c.members.reduce((sum, v) => sum + (at.get(v) ?? 0), 0) / c.members.length))
    const counts = new Map<string, { a: number; b: number; n: number }>()
    for (const { from, to } of ties) {
      const [a, b] = [this.of[from]!, this.of[to]!].sort((x, y) => x - y) as [number, number]
      if (a === b) continue
      const link = counts.get(`${a} ${b}`) ?? { a, b, n: 0 }
      link.n++
      counts.set(`${a} ${b}`, link)
    }
    this.links = [...counts.values()]
  }

  // enter puts the boxes on the canvas, and leave takes them away. Whoever calls them draws the edges.
  enter(): void {
    this.on = true
    this.drawn = ''
    this.cy.add(this.clusters.map((_, k) => ({ group: 'nodes' as const, classes: ['group'], pannable: true, grabbable: false, data: { id: `g${k}`, k, name: this.titles[k]!, text: this.text(k, false), size: 13, w: boxSize[0], h: boxSize[1] } })))
  }

  leave(): void {
    this.on = false
    this.bundles.clear()
    this.cy.nodes('.group').remove()
    this.cy.nodes().removeClass('closed')
  }

  private text(k: number, open: boolean): string {
    return `${this.titles[k]}${open ? ' · ' : '\n'}${plural(this.clusters[k]!.members.length, 'variable')}`
  }

  // lay shows these boxes open, in a window of this size. It calls moved for all that was visible before.
  lay(opened: ReadonlySet<number>, window: [number, number], moved: (n: cytoscape.NodeSingular, to: cytoscape.Position) => void): void {
    this.opened = opened
    this.rows = inRows(this.rank, this.links, columnsFor(this.clusters.length, boxSize, window))
    const sizes = this.clusters.map((_, k): [number, number] => {
      if (!opened.has(k)) return boxSize
      const { w, h } = this.inside(k)
      return [Math.max(w + 2 * inset, boxSize[0]), h + 2 * inset]
    })
    this.places = place(this.rows, (k) => sizes[k]!)
    this.cy.batch(() => {
      for (const [k, c] of this.clusters.entries()) {
        const [x, y] = this.places.get(k)!
        const open = opened.has(k)
        const box = this.cy.getElementById(`g${k}`)
        box.data({ w: sizes[k]![0], h: sizes[k]![1], text: this.text(k, open) })
        box.toggleClass('open', open)
        moved(box as unknown as cytoscape.NodeSingular, { x, y })
        for (const v of c.members) {
          const n = this.cy.getElementById(`n${v}`) as unknown as cytoscape.NodeSingular
          const hidden = n.hasClass('closed')
          n.toggleClass('closed', !open)
          const at = open ? this.inside(k).at.get(v)! : { x: 0, y: 0 }
          const to = { x: x + at.x, y: y + at.y }
          if (open && !hidden) moved(n, to)
          else n.position(to)
        }
      }
    })
    this.bow()
  }

  // inside has the places of the variables of an open box, around its middle.
  private inside(k: number): { at: Map<number, { x: number; y: number; layer: number }>; w: number; h: number } {
    let known = this.inner.get(k)
    if (!known) {
      const boxes = this.model.page.drawings[0]!.nodes
      const at = arrange(this.model.graphs[0]!, this.clusters[k]!.members, (v) => boxes[v]![2], wide)
      let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity]
      for (const [v, p] of at) {
        const [, , w, h] = boxes[v]!
        ;[x1, x2] = [Math.min(x1, p.x - w / 2), Math.max(x2, p.x + w / 2)]
        ;[y1, y2] = [Math.min(y1, p.y - h / 2), Math.max(y2, p.y + h / 2)]
      }
      for (const p of at.values()) {
        p.x -= (x1 + x2) / 2
        p.y -= (y1 + y2) / 2
      }
      known = { at, w: x2 - x1, h: y2 - y1 }
      this.inner.set(k, known)
    }
    return known
  }

  // lines draws the edges: one line for all between two boxes, and edges between variables in open boxes by themselves.
  lines(edges: EdgeView[], element: (e: EdgeView) => cytoscape.ElementDefinition): void {
    const end = (v: number) => (this.opened.has(this.of[v]!) ? `n${v}` : `g${this.of[v]}`)
    const single: EdgeView[] = []
    this.bundles = new Map()
    for (const e of edges) {
      const [a, b] = [end(e.from), end(e.to)]
      if (a.startsWith('n') && b.startsWith('n')) single.push(e)
      else if (a !== b) this.add(e, a, b)
    }
    const drawn = [...single.map((e) => `${e.from} ${e.to} ${e.lagged ? 1 : 0} ${e.standing}`), ...[...this.bundles].map(([id, b]) => `${id} ${b.edges.length} ${b.forward}`)].join()
    if (drawn === this.drawn) return
    this.drawn = drawn
    const largest = Math.max(1, ...[...this.bundles.values()].map((b) => b.edges.length))
    this.cy.batch(() => {
      this.cy.edges().remove()
      this.cy.add([...this.bundles].map(([id, b]) => ({
        group: 'edges' as const,
        classes: ['bundle', 'straight', ...(b.source.startsWith('g') && b.target.startsWith('g') ? ['far'] : []), ...(b.forward > 0 ? [] : ['to-tail']), ...(b.back > 0 ? ['from-head'] : [])],
        data: { id, source: b.source, target: b.target, width: lineWidth(b.edges.length, largest), opacity: b.source.startsWith('n') || b.target.startsWith('n') ? 0.5 : 0.9, bow: 0, font: 11 },
      })))
      this.cy.add(single.map((e) => {
        const el = element(e)
        return e.from === e.to ? el : { ...el, classes: [...(el.classes as string[]), 'straight'] }
      }))
    })
    this.bow()
  }

  private add(e: EdgeView, a: string, b: string): void {
    const swap = a > b
    const [source, target] = swap ? [b, a] : [a, b]
    const id = `${source}~${target}`
    const bundle = this.bundles.get(id) ?? { source, target, edges: [], forward: 0, back: 0 }
    bundle.edges.push(e)
    if (!e.edge || drawnMark(e.edge)[2] === '>') bundle[swap ? 'back' : 'forward']++
    if (e.edge && drawnMark(e.edge)[0] === '<') bundle[swap ? 'forward' : 'back']++
    this.bundles.set(id, bundle)
  }

  // bow bends the lines that would pass behind other boxes: those along a row, and those down a column past other rows.
  private bow(): void {
    const row = new Map(this.rows.flatMap((list, r) => list.map((k, i) => [k, [r, i, k] as const])))
    for (const [id, { source, target }] of this.bundles) {
      const [a, b] = [source, target].map((s) => row.get(s.startsWith('g') ? Number(s.slice(1)) : this.of[Number(s.slice(1))]!)!)
      const [rows, columns] = [Math.abs(a![0] - b![0]), Math.abs(a![1] - b![1])]
      const el = this.cy.getElementById(id)
      const [[x, y], [u, w]] = [this.places.get(a![2])!, this.places.get(b![2])!]
      const along = rows === 0 && columns > 1 ? (x < u ? -1 : 1) * (boxSize[1] * 0.9 + 8 * columns) : 0
      const down = rows > 1 && Math.abs(x - u) < boxSize[0] / 2 ? (y < w ? -1 : 1) * boxSize[0] * 0.75 : 0
      el.data('bow', along + down)
    }
  }

  // redo has the next call of lines draw them anew.
  redo(): void {
    this.drawn = ''
  }

  emphasise(em: Emphasis, idOf: (e: EdgeView) => string, at: number | undefined): void {
    this.cy.batch(() => {
      for (const [k, c] of this.clusters.entries()) {
        const box = this.cy.getElementById(`g${k}`)
        box.toggleClass('faded', em.nodes !== undefined && !c.members.some((v) => em.nodes!.has(v)))
        box.toggleClass('at', k === at)
      }
      for (const [id, b] of this.bundles) this.cy.getElementById(id).toggleClass('faded', em.edges !== undefined && !b.edges.some((e) => em.edges!.has(idOf(e))))
    })
    this.point(at)
  }

  // point makes the lines of one closed box stand out; undefined: all lines are the same.
  point(k: number | undefined): void {
    this.cy.batch(() => {
      for (const [id, b] of this.bundles) this.cy.getElementById(id).toggleClass('quiet', k !== undefined && !this.opened.has(k) && b.source !== `g${k}` && b.target !== `g${k}`)
    })
  }

  // beside is the box next to one in a direction, and the first one without any.
  beside(k: number | undefined, dx: number, dy: number): number {
    const r = this.rows.findIndex((row) => k !== undefined && row.includes(k))
    if (k === undefined || r < 0) return this.rows[0]![0]!
    const i = this.rows[r]!.indexOf(k)
    if (dx !== 0) return this.rows[r]![i + dx] ?? k
    const row = this.rows[r + dy]
    if (!row) return k
    const x = (u: number) => this.places.get(u)![0]
    return row.reduce((best, u) => (Math.abs(x(u) - x(k)) < Math.abs(x(best) - x(k)) ? u : best))
  }

  // endName is what stands at an end of a line.
  endName(id: string): string {
    const k = Number(id.slice(1))
    return id.startsWith('g') ? `group ${this.titles[k]}` : visible(this.model.page.names[k]!)
  }

  // lineSaid describes a line in a sentence.
  lineSaid(b: Bundle): string {
    const [from, to] = [this.endName(b.source), this.endName(b.target)]
    const free = b.edges.length - b.forward - b.back
    const parts = [b.forward > 0 && `${b.forward} to ${to}`, b.back > 0 && `${b.back} to ${from}`, free > 0 && `${free} without a stated direction`].filter((p) => p)
    return `${plural(b.edges.length, 'edge')} between ${from} and ${to}: ${parts.join(', ')}`
  }

  // said describes a box in a sentence.
  said(k: number): string {
    const own = [...this.bundles.values()].filter((b) => b.source === `g${k}` || b.target === `g${k}`)
    const edges = own.reduce((sum, b) => sum + b.edges.length, 0)
    const open = this.opened.has(k)
    return `Group ${this.titles[k]}: ${plural(this.clusters[k]!.members.length, 'variable')}, ${open ? 'open. Arrow down enters it, Enter closes it.' : `${plural(edges, 'edge')} to other groups, closed. Enter opens it.`}`
  }
}

// lineWidth is in proportion to the number of edges.
const lineWidth = (n: number, largest: number) => 1 + (7 * (n - 1)) / Math.max(largest - 1, 4)
