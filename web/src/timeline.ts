import { arrow, drawnMark, inBrief } from './certainty'
import { short, svg, visible } from './dom'
import { signClass, sign } from './gain'
import { verdictDash, type Palette } from './palette'
import { hides, separate, type EdgeView, type Which } from './view'

const head = 30 // px for the words over the columns
const foot = 12
const least = 26 // px of a row at scale 1
const dot = 5 // radius of a value

interface Point {
  x: number
  y: number
}

// columnName is the time of a column that is some steps before now.
export const columnName = (back: number): string => (back === 0 ? 't' : `t−${back}`)

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
const width = (e: EdgeView, strongest: number): number => 1.2 + (3.8 * e.size) / strongest

// Timeline draws the edges unrolled over time: a row for each variable, a column for each step from the largest lag to now. Edges into t
// are those of the result; the same edges at earlier steps are faint.
export class Timeline {
  private edges: EdgeView[] = [] // one for each lag
  private vs: number[] = []
  private lags = 1
  private scale = 1
  private filter: { least: number; which: Which } = { least: 0, which: 'all' }
  private picked: number[] = []

  constructor(
    private readonly host: HTMLElement,
    public names: string[],
    private colour: Palette,
    private readonly on: { edge: (e: EdgeView) => void; variable: (v: number) => void },
  ) {}

  colours(p: Palette): void {
    this.colour = p
    this.draw()
  }

  // show draws the edges of a view with the variables in this order.
  show(edges: EdgeView[], order: string[] | undefined): void {
    this.edges = separate(edges)
    this.lags = Math.max(1, ...this.edges.map((e) => e.edge?.lag ?? 0))
    const place = new Map((order ?? this.names).map((name, k) => [name, k]))
    const at = (v: number) => place.get(this.names[v]!) ?? Infinity
    this.vs = [...new Set(this.edges.flatMap((e) => [e.from, e.to]))].sort((a, b) => at(a) - at(b) || a - b)
    this.fit()
  }

  sift(filter: { least: number; which: Which }, picked: number[]): void {
    this.filter = filter
    this.picked = picked
    this.draw()
  }

  fit(): void {
    this.scale = 1
    this.draw()
  }

  zoom(factor: number): void {
    this.scale = Math.min(Math.max(this.scale * factor, 0.5), 4)
    this.draw()
  }

  // picture is a copy of the drawing.
  picture(): SVGElement {
    return this.host.querySelector('svg')!.cloneNode(true) as SVGElement
  }

  private draw(): void {
    if (this.host.hidden || this.host.clientWidth === 0) return
    const { colour: p, vs } = this
    const [W, H] = [(this.host.clientWidth - 4) * this.scale, (this.host.clientHeight - 4) * this.scale]
    const left = Math.min(Math.max(60, ...vs.map((v) => 7.4 * short(this.names[v]!, 22).length + 26)), W / 3)
    const right = 70 // for edges within t, which bow to the right, and the zoom buttons
    const step = (W - left - right) / this.lags
    const row = Math.max(least * this.scale, Math.min((H - head - foot) / Math.max(vs.length, 1), 90 * this.scale))
    const tall = head + foot + row * vs.length
    const at = new Map(vs.map((v, k) => [v, k]))
    const spot = (v: number, back: number): Point => ({ x: left + step * (this.lags - back), y: head + row * (at.get(v)! + 0.5) })
    const strongest = Math.max(...this.edges.map((e) => e.size), 1e-9)
    const focused = document.activeElement?.getAttribute('data-variable')
    const lines = this.edges.filter((e) => !hides(e, this.filter)).sort((a, b) => a.size - b.size).flatMap((e) => {
      const lag = e.edge?.lag ?? 0
      const near = this.picked.length === 0 || (this.picked.length === 1 ? this.picked.includes(e.from) || this.picked.includes(e.to) : this.picked.includes(e.from) && this.picked.includes(e.to))
      return Array.from({ length: this.lags - lag + 1 }, (_, k) => this.line(e, spot(e.from, k + lag), spot(e.to, k), lag, width(e, strongest), near ? (k === 0 ? 1 : 0.22) : 0.06, k === 0, step))
    })
    const drawing = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width: W, height: tall, viewBox: `0 0 ${W.toFixed(0)} ${tall.toFixed(0)}`, 'font-family': font, role: 'group', 'aria-label': `The graph unrolled over ${this.lags + 1} time steps. The tab Table lists the same edges with their lags.` },
      svg('rect', { width: W, height: tall, fill: p.ground }),
      Array.from({ length: this.lags + 1 }, (_, k) => [
        svg('text', { x: spot(vs[0] ?? 0, k)?.x ?? 0, y: 18, 'text-anchor': 'middle', 'font-size': 13, 'font-weight': k === 0 ? 'bold' : 'normal', fill: p.ink }, columnName(k)),
        svg('line', { x1: left + step * (this.lags - k), x2: left + step * (this.lags - k), y1: head, y2: tall - foot, stroke: p.border, 'stroke-opacity': 0.25 }),
      ]),
      lines,
      vs.map((v) => this.variable(v, left, row, (back) => spot(v, back))))
    this.host.replaceChildren(drawing)
    if (focused !== null && focused !== undefined) this.host.querySelector<SVGElement>(`[data-variable="${focused}"]`)?.focus()
  }

  // variable is a name, which selects it, and a dot for its value at each step.
  private variable(v: number, left: number, row: number, spot: (back: number) => Point): SVGElement {
    const { colour: p } = this
    const picked = this.picked.includes(v)
    const choose = (e: Event) => {
      if (e instanceof KeyboardEvent && e.key !== 'Enter' && e.key !== ' ') return
      e.preventDefault()
      this.on.variable(v)
    }
    const { y } = spot(0)
    return svg('g', {},
      svg('g', { class: 'pick', role: 'button', tabindex: 0, 'data-variable': v, 'aria-pressed': String(picked), 'aria-label': visible(this.names[v]!), click: choose, keydown: choose },
        svg('title', {}, visible(this.names[v]!)),
        svg('rect', { x: 2, y: y - Math.min(row, 26) / 2 + 1, width: left - 20, height: Math.min(row, 26) - 2, rx: 5, fill: picked ? p.pick : p.node, stroke: p.border }),
        svg('text', { x: 10, y: y + 4.5, 'font-size': 13, fill: picked ? p.ground : p.ink }, short(this.names[v]!, Math.max(4, Math.floor((left - 34) / 7.2))))),
      Array.from({ length: this.lags + 1 }, (_, k) => svg('circle', { class: 'pick', cx: spot(k).x, cy: y, r: dot, fill: picked ? p.pick : p.node, stroke: p.border, 'stroke-width': 1.5, click: choose })))
  }

  // line is one edge between two values. Lines over several steps bow, so that they pass beside the values between.
  private line(e: EdgeView, from: Point, to: Point, lag: number, wide: number, opacity: number, now: boolean, step: number): SVGElement {
    const { colour: p } = this
    const edge = e.edge!
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const far = Math.hypot(dx, dy) || 1
    const bow = lag === 0 ? Math.min(18 + 0.18 * Math.abs(dy), 0.8 * step, 64) : e.from === e.to ? (lag > 1 ? 9 + 5 * lag : 0) : lag > 1 ? 10 : 0
    const mid = lag === 0 ? { x: from.x + 2 * bow, y: (from.y + to.y) / 2 } : { x: (from.x + to.x) / 2 + (2 * bow * dy) / far, y: (from.y + to.y) / 2 - (2 * bow * dx) / far }
    const toward = (a: Point, b: Point, by: number): Point => {
      const d = Math.hypot(b.x - a.x, b.y - a.y) || 1
      return { x: a.x + ((b.x - a.x) * by) / d, y: a.y + ((b.y - a.y) * by) / d }
    }
    const colour = p[signClass(edge)]
    const size = Math.max(7, 4.5 + 1.5 * wide)
    const headed = drawnMark(edge)[2] === '>'
    const [start, tip] = [toward(from, mid, dot + 1), toward(to, mid, dot + 1)]
    const end = headed ? toward(tip, mid, size * 0.8) : tip
    const d = `M${start.x.toFixed(1)} ${start.y.toFixed(1)}Q${mid.x.toFixed(1)} ${mid.y.toFixed(1)} ${end.x.toFixed(1)} ${end.y.toFixed(1)}`
    const base = toward(tip, mid, size)
    const k = size / (Math.hypot(tip.x - base.x, tip.y - base.y) || 1)
    const side = { x: (base.y - tip.y) * 0.45 * k, y: (tip.x - base.x) * 0.45 * k }
    const points = [tip, { x: base.x + side.x, y: base.y + side.y }, { x: base.x - side.x, y: base.y - side.y }]
    return svg('g', { class: now ? 'pick edge' : 'edge', opacity: opacity * (0.3 + 0.7 * (edge.confidence ?? 1)), 'data-lag': lag, 'data-now': String(now), click: () => this.on.edge(e) },
      svg('title', {}, `${visible(this.names[e.from]!)}(${columnName(lag)})${arrow(edge)}${visible(this.names[e.to]!)}(t)${edge.verdict ? `: ${inBrief(edge)}` : ''}`),
      now && svg('path', { d, fill: 'none', stroke: 'transparent', 'stroke-width': 12 }),
      svg('path', { d, fill: 'none', stroke: colour, 'stroke-width': wide, 'stroke-dasharray': edge.verdict && verdictDash[edge.verdict]?.join(' ') }),
      headed && svg('polygon', { points: points.map((q) => `${q.x.toFixed(1)},${q.y.toFixed(1)}`).join(' '), fill: sign(edge) < 0 ? p.ground : colour, stroke: colour }))
  }
}

// largest is the largest lag of edges, 0 without any.
export const largest = (edges: EdgeView[]): number => Math.max(0, ...edges.flatMap((e) => e.lagged?.map((x) => x.lag!) ?? []))
