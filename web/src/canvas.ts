import cytoscape from 'cytoscape'
import { directed } from './certainty'
import type { Drawing, Mark, Route } from './data'
import { visible } from './dom'
import { arrange } from './gather'
import type { Graph } from './graph'
import { stylesheet, width as lineWidth } from './look'
import { fitNames, fitWords } from './names'
import { Overview } from './overview'
import type { Palette } from './palette'
import { relative, sample } from './route'
import type { State } from './state'
import { label, signClass } from './gain'
import { endMarks, hides, lagsOf, word, type EdgeView, type Model, type View } from './view'

// What is emphasised. Absent sets: nothing is faded.
export interface Emphasis {
  nodes?: Set<number>
  edges?: Set<string>
  lit: Set<string> // edges on paths through a sensitive variable, or on the one path that was chosen
  picked: number[]
  sensitive: Set<number>
}

export const edgeID = (from: number, to: number, lagged = false) => `${from}>${to}${lagged ? '@' : ''}`
export const idOf = (e: EdgeView) => edgeID(e.from, e.to, e.lagged !== undefined)

// ends are the classes for what stands at both ends of an edge; none for a tail at the first and a head at the second.
const ends: Record<Mark, string[]> = {
  '-->': [],
  '---': ['to-tail'],
  '<->': ['from-head'],
  'o->': ['from-open'],
  'o--': ['from-open', 'to-tail'],
  'o-o': ['from-open', 'to-open'],
}

const many = 400 // edges from which drawing trades looks for speed
const mostLabels = 80 // arrows with words before they only clutter
const readable = 0.7 // zoom from which on names in boxes can be read
const mostStretch = 2.4 // of a drawing along one side, to fill the window

// Canvas draws the graph and knows nothing of panels.
export class Canvas {
  readonly cy: cytoscape.Core
  readonly overview: Overview
  private edges: EdgeView[] = []
  private drawing: Drawing
  private places: [x: number, y: number][] = []
  private scale: [number, number] = [1, 1]
  private gain: number[] = [] // of the edges of each variable, summed
  private strongest = 1
  private readonly big: boolean
  private gathered = false
  private inside = new Set<number>() // what is gathered
  private opened: ReadonlySet<number> = new Set() // boxes of the overview
  private just: number | undefined // the one that was opened last
  private timer = 0
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches

  constructor(
    host: HTMLElement,
    private readonly model: Model,
    colours: Palette,
  ) {
    const { page } = model
    this.drawing = page.drawings[page.open]!
    this.big = page.drawings.at(-1)!.routes.length > many
    this.cy = cytoscape({
      container: host,
      elements: page.names.map((name, v) => {
        const [x, y, w, h] = this.drawing.nodes[v]!
        return { group: 'nodes' as const, data: { id: `n${v}`, v, name: visible(name), text: visible(name), size: 13, w, h }, position: { x, y } }
      }),
      style: stylesheet(colours),
      layout: { name: 'preset', fit: false },
      minZoom: 0.02,
      maxZoom: 4,
      boxSelectionEnabled: false,
      selectionType: 'single',
      autounselectify: true,
      textureOnViewport: this.big,
      hideEdgesOnViewport: false,
      ...(this.big && { pixelRatio: 1 }),
    })
    this.overview = new Overview(this.cy, model)
    this.cy.on('zoom', () => {
      clearTimeout(this.timer)
      this.timer = window.setTimeout(() => this.names(), 100)
    })
  }

  colours(p: Palette): void {
    this.cy.style(stylesheet(p))
  }

  // names makes them readable at the zoom of now.
  names(): void {
    fitNames(this.cy, (v) => this.gain[v] ?? 0)
    const size = Math.min(Math.max(11, 9.5 / this.cy.zoom()), 16)
    this.cy.edges('[label]').forEach((e) => {
      if (e.data('font') !== size) e.data('font', size)
    })
    fitWords(this.cy)
  }

  // show puts the edges of a view and the places of a drawing in the place of those before.
  show(view: View, drawing: number): EdgeView[] {
    this.edges = this.model.edges(view, drawing)
    this.drawing = this.model.page.drawings[drawing]!
    this.strongest = Math.max(...this.edges.map((x) => x.size), 1e-9)
    this.gain = this.model.page.names.map(() => 0)
    for (const e of this.edges) {
      this.gain[e.from]! += e.size
      this.gain[e.to]! += e.size
    }
    this.overview.redo()
    if (!this.overview.on) this.routes()
    return this.edges
  }

  // routes draws the edges along the curves of the drawing.
  private routes(): void {
    this.cy.batch(() => {
      this.cy.edges().remove()
      this.cy.add(this.edges.filter((e) => e.route).map((e) => this.element(e)))
    })
    this.place()
  }

  // group switches between the drawing of all variables and the overview of groups.
  group(on: boolean): void {
    if (on === this.overview.on) return
    if (on) this.overview.enter()
    else {
      this.overview.leave()
      this.routes()
    }
  }

  // open shows the overview with these boxes open. One that was just opened comes into the window.
  open(opened: ReadonlySet<number>, just?: number): void {
    const still = this.still || opened === this.opened
    this.opened = opened
    this.just = just
    if (!this.overview.on || this.gathered) return
    const to = new Map<string, cytoscape.Position>()
    this.overview.lay(opened, this.room(), (n, at) => {
      to.set(n.id(), at)
      if (still) n.position(at)
      else n.stop().animate({ position: at }, { duration: 200 })
    })
    this.fit(to)
    const box = to.get(`g${just}`)
    if (!box || this.cy.zoom() >= readable) return
    const [w, h] = [this.cy.getElementById(`g${just}`).data('w') as number, this.cy.getElementById(`g${just}`).data('h') as number]
    const zoom = Math.max(Math.min(this.cy.width() / (w + 80), this.cy.height() / (h + 80), 1.2), readable)
    this.cy.viewport({ zoom, pan: { x: this.cy.width() / 2 - zoom * box.x, y: this.cy.height() / 2 - zoom * box.y } })
    this.names()
  }

  private element(e: EdgeView): cytoscape.ElementDefinition {
    const classes: string[] = [e.standing]
    classes.push(!e.edge || directed(e.edge) ? signClass(e.edge) : 'bare', ...ends[endMarks(e)])
    if (e.edge?.verdict) classes.push(e.edge.verdict)
    if (e.from === e.to) classes.push('loop')
    const data = {
      id: idOf(e),
      source: `n${e.from}`,
      target: `n${e.to}`,
      size: e.size,
      width: lineWidth(e, this.strongest),
      opacity: 0.3 + 0.7 * (e.edge?.confidence ?? 1),
      bow: 0,
      font: 11,
    }
    return { group: 'edges', data, classes }
  }

  // place puts variables and curves where the drawing has them, drawn out along one side so that what is shown fills the window: names
  // stay as large, and lines get room. Boxes keep their size, and so the ends of curves keep their distance from the middles.
  private place(): void {
    const { nodes } = this.drawing
    const seen = this.cy.nodes().filter((n) => !n.hasClass('hidden')).map((n) => nodes[n.data('v') as number]!)
    const [w, h] = this.extent(seen)
    const [W, H] = this.room()
    const zoom = Math.min(W / w, H / h, 1.6)
    const stretch = (have: number, need: number) => Math.min(Math.max(have / (need * zoom), 1), mostStretch)
    this.scale = [stretch(W, w), stretch(H, h)]
    this.places = nodes.map(([x, y]) => [x * this.scale[0], y * this.scale[1]])
    const pieces = this.pieces()
    this.cy.batch(() => {
      this.cy.nodes().forEach((n) => {
        const [x, y] = this.places[n.data('v') as number]!
        n.position({ x, y })
      })
      for (const e of this.edges) {
        if (!e.route || e.from === e.to) continue
        const line = sample(this.stretched(e.route), e.route.from !== e.from, pieces)
        if (!line) continue
        const el = this.cy.getElementById(idOf(e))
        const [s, t] = [this.places[e.from]!, this.places[e.to]!]
        el.data({ start: [line.start[0] - s[0], line.start[1] - s[1]], end: [line.end[0] - t[0], line.end[1] - t[1]], ...relative(line) })
        el.addClass('routed')
      }
    })
    for (const e of this.edges) if (e.route?.label) this.cy.getElementById(idOf(e)).removeData('mx my')
    this.putLabels()
  }

  // putLabels puts words where room was kept for them; the library knows offsets from the middle of the line only, and has no middle of a
  // line that is hidden: that one is done when it is shown.
  private putLabels(): void {
    if (this.overview.on) return
    for (const e of this.edges) {
      if (!e.route?.label || e.from === e.to) continue
      const el = this.cy.getElementById(idOf(e)) as unknown as cytoscape.EdgeSingular
      if (el.data('mx') !== undefined || !el.visible()) continue
      const m = el.midpoint() as cytoscape.Position | undefined
      if (!m) continue
      const [x, y] = this.labelPlace(e.route, this.pieces())
      el.data({ mx: x - m.x, my: y - m.y })
    }
  }

  // pieces is how many straight pieces a curve is drawn in.
  private pieces(): number {
    return this.big ? 6 : this.edges.length > 150 ? 10 : 16
  }

  // labelPlace is where the words of an edge go: as far from the line as the drawing has them, however far that is drawn out.
  private labelPlace(route: Route, pieces: number): [number, number] {
    const [x, y] = route.label!
    const [before, after] = [sample(route, false, pieces), sample(this.stretched(route), false, pieces)]
    if (!before || !after) return [x * this.scale[0], y * this.scale[1]]
    const [p, q] = [before, after].map(({ start, inner, end }) => [start, ...inner, end]) as [[number, number][], [number, number][]]
    let best = 0
    p.forEach((at, k) => {
      if (Math.hypot(at[0] - x, at[1] - y) < Math.hypot(p[best]![0] - x, p[best]![1] - y)) best = k
    })
    return [q[best]![0] + x - p[best]![0], q[best]![1] + y - p[best]![1]]
  }

  private stretched(route: Route): Route {
    const p = route.points
    if (!p) return route
    const { nodes } = this.drawing
    const last = p.length - 2
    const points = p.map((v, k) => {
      const side = k % 2
      if (k > 1 && k < last) return v * this.scale[side]!
      const end = k < 2 ? route.from : route.to
      return this.places[end]![side]! + v - nodes[end]![side]!
    })
    return { ...route, points }
  }

  // extent is the size of boxes and of the curves between them, in the drawing.
  private extent(boxes: Drawing['nodes']): [number, number] {
    let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const [x, y, w, h] of boxes) {
      x1 = Math.min(x1, x - w / 2)
      y1 = Math.min(y1, y - h / 2)
      x2 = Math.max(x2, x + w / 2)
      y2 = Math.max(y2, y + h / 2)
    }
    for (const { points } of this.drawing.routes) {
      for (let k = 0; points && k < points.length; k += 2) {
        x1 = Math.min(x1, points[k]!)
        x2 = Math.max(x2, points[k]!)
      }
    }
    return [Math.max(x2 - x1, 1), Math.max(y2 - y1, 1)]
  }

  // room is how much of the window the graph may have: the zoom buttons stand at the right.
  private room(): [number, number] {
    const small = this.cy.width() < 500
    const padding = small ? 12 : 28
    return [Math.max(this.cy.width() - (small ? 0 : 44) - 2 * padding, 50), Math.max(this.cy.height() - 2 * padding, 50)]
  }

  // refit is for a window of another size, or after variables came or went.
  refit(): void {
    this.cy.resize()
    if (this.overview.on) return this.gathered ? this.fit() : this.open(this.opened, this.just)
    if (!this.gathered) this.place()
    this.fit()
  }

  // sift hides weak edges and lonely variables. It returns how many edges are left, those of each lag counted, and the variables without a line.
  sift(state: State, keep: Set<string>): { shown: number; of: number; alone: number[] } {
    let shown = 0
    let of = 0
    const joined = new Set<number>()
    const changed: cytoscape.CollectionReturnValue[] = []
    this.cy.batch(() => {
      for (const e of this.edges) {
        const id = idOf(e)
        const weak = hides(e, state)
        const n = e.lagged?.length ?? 1 // edges that the line stands for
        if (e.standing !== 'missing') of += n
        if (!e.route) continue
        const el = this.cy.getElementById(id)
        const hidden = weak && !keep.has(id)
        if (el.hasClass('hidden') !== hidden) changed.push(el.toggleClass('hidden', hidden))
        joined.add(e.from).add(e.to)
        if (e.standing !== 'missing' && !weak) shown += n
      }
    })
    for (const el of changed) el.style('display') // the library puts changes off until a style is read
    this.putLabels()
    if (this.overview.on && !this.gathered) this.overview.lines(this.edges.filter((e) => !hides(e, state) || keep.has(idOf(e))), (e) => this.element(e))
    const alone: number[] = []
    this.cy.batch(() => {
      this.model.page.names.forEach((_, v) => {
        if (joined.has(v)) this.cy.getElementById(`n${v}`).removeClass('hidden')
        else {
          alone.push(v)
          this.cy.getElementById(`n${v}`).toggleClass('hidden', !this.overview.on && !state.isolated && !state.picked.includes(v) && !this.inside.has(v))
        }
      })
    })
    return { shown, of, alone }
  }

  emphasise(em: Emphasis, weights: boolean, box?: number): void {
    const few = this.cy.edges().length <= mostLabels
    this.cy.batch(() => {
      this.cy.nodes().forEach((n) => {
        const v = n.data('v') as number
        n.toggleClass('picked', em.picked.includes(v))
        n.toggleClass('sensitive', em.sensitive.has(v))
        n.toggleClass('faded', em.nodes !== undefined && !em.nodes.has(v))
      })
      for (const e of this.edges) {
        const id = idOf(e)
        const el = this.cy.getElementById(id)
        if (el.empty()) continue
        const near = em.edges?.has(id) ?? false
        el.toggleClass('lit', em.lit.has(id))
        el.toggleClass('faded', em.edges !== undefined && !near && !this.gathered)
        el.toggleClass('between', em.edges !== undefined && !near && this.gathered)
        const parts: string[] = []
        if (few || near) {
          if (e.standing !== 'plain' && e.standing !== 'right' && e.standing !== 'both') parts.push(word[e.standing])
          const several = (e.lagged?.length ?? 0) > 1 // and so several numbers
          if ((weights || (near && em.picked.length > 0)) && e.edge && directed(e.edge) && !several) parts.push(label(e.edge))
        }
        const text = [parts.join(' '), few || near ? lagsOf(e) : ''].filter((s) => s !== '').join(', ')
        if (text !== ((el.data('label') as string | undefined) ?? '')) el.data('label', text)
      }
    })
    if (this.overview.on) this.overview.emphasise(em, idOf, box)
    fitWords(this.cy)
  }

  // fit shows everything that is not hidden. It goes by the places of boxes and curves: asking the library would have it measure
  // every name first, a third of the time that a page of 100 variables takes to open.
  fit(to?: Map<string, cytoscape.Position>): void {
    this.cy.resize()
    let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity]
    const see = (x: number, y: number, w = 0, h = 0) => {
      x1 = Math.min(x1, x - w / 2)
      y1 = Math.min(y1, y - h / 2)
      x2 = Math.max(x2, x + w / 2)
      y2 = Math.max(y2, y + h / 2)
    }
    this.cy.nodes().forEach((n) => {
      if (n.hasClass('hidden') || n.hasClass('away') || n.hasClass('closed')) return
      const { x, y } = to?.get(n.id()) ?? n.position()
      see(x, y, n.data('w') as number, n.data('h') as number)
    })
    if (x1 > x2) return
    if (!this.gathered && !this.overview.on) {
      for (const { route } of this.edges) for (let k = 0; route?.points && k < route.points.length; k += 2) see(route.points[k]! * this.scale[0], route.points[k + 1]! * this.scale[1])
    }
    const [W, H] = this.room()
    const left = this.cy.width() < 500 ? 12 : 28
    const zoom = Math.min(W / (x2 - x1), H / (y2 - y1), 1.6)
    this.cy.viewport({ zoom, pan: { x: left + (W - zoom * (x1 + x2)) / 2, y: (this.cy.height() - zoom * (y1 + y2)) / 2 } })
    this.names()
  }

  // near zooms to variables and their neighbours.
  near(vs: number[]): void {
    let eles = this.cy.collection()
    for (const v of vs) eles = eles.union(this.cy.getElementById(`n${v}`))
    const around = eles.union(eles.neighborhood().filter(':visible'))
    this.move({ fit: { eles: around, padding: 40 } }, eles)
  }

  // gather shows a few variables alone, with all the lines between them, those included that are too weak for the drawing: causes above
  // effects. Without any, everything goes back to its place.
  gather(vs: number[], g: Graph): void {
    const inside = (this.inside = new Set(vs))
    this.gathered = vs.length > 0
    const { nodes } = this.drawing
    const to = arrange(g, vs, (v) => nodes[v]![2])
    this.cy.batch(() => {
      (this.overview.on ? this.cy.edges() : this.cy.edges('.added')).remove()
      this.overview.redo()
      if (this.gathered) this.cy.nodes().removeClass('closed')
      this.cy.edges(':simple').toggleClass('straight', this.gathered)
      this.cy.nodes().forEach((n) => {
        const v = n.data('v') as number
        n.toggleClass('away', this.gathered && !inside.has(v))
        const at = to.get(v)
        if (at) n.position({ x: at.x, y: at.y })
        else if (!this.overview.on) n.position({ x: this.places[v]![0], y: this.places[v]![1] })
      })
      if (!this.gathered) return
      for (const e of this.edges) {
        const [a, b] = [to.get(e.from), to.get(e.to)]
        if (!a || !b) continue
        if (this.cy.getElementById(idOf(e)).empty()) {
          const el = this.element(e)
          this.cy.add({ ...el, classes: [...(el.classes as string[]), 'added', 'straight'] })
        }
        // A line that passes layers bows out beside the boxes there.
        const span = Math.abs(b.layer - a.layer)
        this.cy.getElementById(idOf(e)).data('bow', span > 1 && Math.abs(a.x - b.x) < 60 ? (a.x + b.x > 0 ? 1 : -1) * 26 * Math.min(span, 6) : 0)
      }
    })
    if (this.gathered) this.fit()
    else this.refit()
  }

  zoom(factor: number): void {
    const level = this.cy.zoom() * factor
    this.cy.zoom({ level, renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } })
  }

  // revealAll brings the chosen variables into the window, without changing the zoom where all of them are in it.
  revealAll(vs: number[]): void {
    let eles = this.cy.collection()
    for (const v of vs) eles = eles.union(this.cy.getElementById(`n${v}`))
    const out = eles.toArray().some((n) => {
      const b = n.renderedBoundingBox({ includeLabels: false })
      return b.x1 < 0 || b.y1 < 0 || b.x2 > this.cy.width() || b.y2 > this.cy.height()
    })
    if (!out) return
    if (vs.length === 1) this.reveal(vs[0]!)
    else this.move({ fit: { eles, padding: 60 } })
  }

  // revealBox brings a group into the window.
  revealBox(k: number): void {
    const box = this.cy.getElementById(`g${k}`)
    const b = box.renderedBoundingBox({ includeLabels: false })
    if (b.x1 < 0 || b.y1 < 0 || b.x2 > this.cy.width() || b.y2 > this.cy.height()) this.move({ center: { eles: box } })
  }

  // reveal brings a variable into the window without changing the zoom more than needed to read it.
  reveal(v: number): void {
    const n = this.cy.getElementById(`n${v}`)
    const box = n.renderedBoundingBox({ includeLabels: false })
    const out = box.x1 < 0 || box.y1 < 0 || box.x2 > this.cy.width() || box.y2 > this.cy.height()
    if (this.cy.zoom() < 0.6) this.near([v])
    else if (out) this.move({ center: { eles: n } })
  }

  // A fit that would leave names too small to read centres on the variables themselves instead.
  private move(
    to: { fit: { eles: cytoscape.CollectionReturnValue; padding: number } } | { center: { eles: cytoscape.CollectionReturnValue } },
    middle?: cytoscape.CollectionReturnValue,
  ): void {
    const limit = () => {
      if ('fit' in to && this.cy.zoom() > 1.6) {
        this.cy.zoom(1.6)
        this.cy.center(to.fit.eles)
      }
    }
    if ('fit' in to && middle) {
      const box = to.fit.eles.boundingBox()
      const level = Math.min(this.cy.width() / (box.w + 80), this.cy.height() / (box.h + 80))
      if (level < 0.7) {
        this.cy.stop()
        this.cy.zoom(0.7)
        this.cy.center(middle)
        return
      }
    }
    if (this.still || this.big) {
      if ('fit' in to) this.cy.fit(to.fit.eles, to.fit.padding)
      else this.cy.center(to.center.eles)
      limit()
      return
    }
    this.cy.stop()
    this.cy.animate(to as cytoscape.AnimationOptions, { duration: 200, complete: limit })
  }
}
