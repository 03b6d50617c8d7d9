import { short, svg, visible } from './dom'
import { placeLabels, type Box } from './labels'
import { arrange, sample, type Layout, type Point } from './layout'
import type { Mark } from './data'

export interface SceneNode {
  key: string // the same in the next scene, for which it moves to its new place
  name: string
  group?: number // how many variables it stands for
  band?: number
  warn?: string // why it is marked
  classes?: string
}

export interface SceneLine {
  key: string
  from: number
  to: number
  mark: Mark
  classes: string // by sign, verdict, standing
  width: number
  weight: number
  basis?: string
  label: string
  about: string // for screen readers
}

export interface Scene {
  nodes: SceneNode[]
  lines: SceneLine[]
  bands: string[] // titles by band
}

export interface Emphasis {
  nodes?: Set<string> // absent: all
  lines?: Set<string>
  picked: Set<string>
  lit?: Set<string>
  labels: 'all' | 'lines' | 'none' // which lines have their label
}

export interface Pointing {
  node(key: string, e: Event): void
  line(key: string): void
  ground(): void
  menu(what: { node?: string; line?: string }, at: { x: number; y: number }): void
  over(what: { node?: string; line?: string } | undefined, at: { x: number; y: number }): void
  drop(key: string, at: { x: number; y: number }): void
  dragging(key: string | undefined, at?: { x: number; y: number }): void
  drawn(from: string, to: string): void
  rename(band: number): void // the title of a band was clicked
  moved(): void // the drawing stands elsewhere in the window
}

const high = 40
const widest = 190
const pen = document.createElement('canvas').getContext('2d')!

// textWidth is that of a name on a box.
export function textWidth(text: string, font = '600 13px system-ui, sans-serif'): number {
  pen.font = font
  return pen.measureText(text).width
}

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches

// Canvas draws a scene as SVG: bands, lines, boxes and labels. It knows nothing of results; whoever shows a scene says what a click means.
export class Canvas {
  readonly svg = svg('svg', { class: 'graph' })
  private readonly world = svg('g', { class: 'world' })
  private readonly layers = { bands: svg('g'), lines: svg('g'), nodes: svg('g'), labels: svg('g', { class: 'labels' }), ghost: svg('g') }
  private scene: Scene = { nodes: [], lines: [], bands: [] }
  private layout: Layout | undefined
  private at: Point[] = []
  private routes: Point[][] = []
  private samples: Point[][] = []
  private widths: number[] = []
  private index = new Map<string, number>()
  private boxes: SVGElement[] = []
  private paths: SVGElement[] = []
  private before = new Map<string, Point>()
  private zoomed = 1
  private pan: Point = [0, 0]
  private emphasis: Emphasis = { picked: new Set(), labels: 'all' }
  private notes = new Map<string, string>()
  private fitted = true
  insets = { top: 24, right: 24, bottom: 72, left: 24 }

  constructor(readonly host: HTMLElement, private readonly on: Pointing) {
    for (const l of Object.values(this.layers)) this.world.append(l)
    this.svg.append(this.world)
    host.append(this.svg)
    this.listen()
    new ResizeObserver(() => {
      if (this.scene.nodes.length > 0 && this.fitted) this.lay(false)
    }).observe(host)
  }

  // show puts a scene in the place of the one before. Boxes that are in both move to their new places.
  show(scene: Scene, refit = true): void {
    this.before = new Map(this.scene.nodes.map((n, i) => [n.key, this.at[i]!]))
    this.scene = scene
    this.index = new Map(scene.nodes.map((n, i) => [n.key, i]))
    this.widths = scene.nodes.map((n) => Math.min(Math.max(textWidth(short(n.name, 30)) + 30, 62), widest))
    this.lay(refit)
  }

  private lay(refit: boolean): void {
    const [W, H] = this.room()
    const { scene } = this
    if (scene.nodes.length === 0) {
      for (const l of Object.values(this.layers)) l.replaceChildren()
      this.layout = undefined
      return
    }
    const items = scene.nodes.map((n, i) => ({ w: this.widths[i]!, h: n.group ? 52 : high, ...(n.band !== undefined && { band: n.band }) }))
    this.layout = arrange(items, scene.lines, W / H)
    this.stretch(W, H, items)
    this.draw(items)
    if (refit || this.fitted) this.fit(false)
    else this.transform()
    this.emphasise(this.emphasis)
  }

  // stretch gives lines the room of the window: places are drawn out along one side, boxes stay as large.
  private stretch(W: number, H: number, items: { w: number; h: number }[]): void {
    const l = this.layout!
    const [w, hh] = [Math.max(l.right - l.left, 1), Math.max(l.bottom - l.top, 1)]
    const zoom = Math.min(W / w, H / hh, 1.15)
    const sx = Math.min(Math.max(W / (w * zoom), 1), 1.9)
    const sy = Math.min(Math.max(H / (hh * zoom), 1), 1.7)
    this.at = l.at.map(([x, y]) => [x * sx, y * sy])
    this.routes = l.routes.map((r, k) => {
      const { from, to } = this.scene.lines[k]!
      return r.map(([x, y], i): Point => {
        const end = i < 2 ? from : i > r.length - 3 ? to : -1
        if (end < 0) return [x * sx, y * sy]
        const inner = i === 1 || i === r.length - 2
        const [cx, cy] = [l.at[end]![0], l.at[end]![1]]
        const side = Math.sign((i < 2 ? r[0]! : r.at(-1)!)[1] - cy)
        const px = cx * sx + (x - cx)
        return inner ? [px, y * sy + (side * items[end]!.h * (1 - sy)) / 2] : [px, cy * sy + (side * items[end]!.h) / 2]
      })
    })
    for (const b of l.bands) [b.top, b.bottom] = [b.top * sy, b.bottom * sy]
    ;[l.left, l.right, l.top, l.bottom] = [l.left * sx, l.right * sx, l.top * sy, l.bottom * sy]
    this.samples = this.routes.map((r) => sample(r))
  }

  private draw(items: { w: number; h: number }[]): void {
    const { scene, layout } = this
    const l = layout!
    const many = scene.lines.length > 150
    this.svg.classList.toggle('many', many)
    this.layers.bands.replaceChildren(...l.bands.flatMap((b) => {
      const x = l.left - 60
      const title = scene.bands[b.band] ?? ''
      return [svg('rect', { class: 'band', 'data-band': b.band, x, y: b.top - 34, width: l.right - l.left + 120, height: b.bottom - b.top + 50, rx: 14 }),
        svg('text', { class: 'band-title', 'data-title': b.band, role: 'button', tabindex: 0, 'aria-label': `Band ${title}. Rename it`, x: x + 16, y: b.top - 15 }, title)]
    }))
    this.paths = scene.lines.map((line, k) => this.line(line, k))
    this.layers.lines.replaceChildren(...this.paths)
    this.boxes = scene.nodes.map((n, i) => this.box(n, i, items[i]!))
    this.layers.nodes.replaceChildren(...this.boxes)
    const move = !still() && this.before.size > 0 && scene.nodes.length < 150
    scene.nodes.forEach((n, i) => {
      const g = this.boxes[i]!
      const [x, y] = this.at[i]!
      const was = move ? this.before.get(n.key) : undefined
      g.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`)
      if (was && (was[0] !== x || was[1] !== y)) g.animate([{ transform: `translate(${was[0]}px, ${was[1]}px)` }, { transform: `translate(${x}px, ${y}px)` }], { duration: 420, easing: 'cubic-bezier(.2,.7,.2,1)' })
      else if (move) g.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 })
    })
    if (move) this.layers.lines.animate([{ opacity: 0 }, { opacity: 0, offset: 0.4 }, { opacity: 1 }], { duration: 500 })
  }

  private line(line: SceneLine, k: number): SVGElement {
    const r = this.routes[k]!
    const g = svg('g', { class: `line ${line.classes}`, 'data-line': line.key, 'data-basis': line.basis })
    if (r.length === 0) return this.loop(line, g)
    const cut = r.map((p): Point => [p[0], p[1]])
    const head = 4 + line.width * 0.9
    const [toHead, fromHead] = [line.mark.endsWith('>'), line.mark.startsWith('<')]
    const back = (end: number, handle: number, by: number) => {
      const [dx, dy] = [cut[end]![0] - cut[handle]![0], cut[end]![1] - cut[handle]![1]]
      const d = Math.hypot(dx, dy) || 1
      cut[end] = [cut[end]![0] - (dx / d) * by, cut[end]![1] - (dy / d) * by]
      return [dx / d, dy / d] as Point
    }
    const last = cut.length - 1
    const tip = (end: Point, u: Point, hollow: boolean) => {
      const [bx, by] = [end[0] - u[0] * (head + 5), end[1] - u[1] * (head + 5)]
      const half = 3.5 + line.width * 0.75
      return svg('polygon', { class: hollow ? 'head hollow' : 'head', points: [end, [bx - u[1] * half, by + u[0] * half], [bx + u[1] * half, by - u[0] * half]].map((p) => p.map((v) => v!.toFixed(1)).join(',')).join(' ') })
    }
    const parts: SVGElement[] = []
    const ends: [Point, Point, string][] = [[r[last]!, r[last - 1]!, line.mark.at(-1)!], [r[0]!, r[1]!, line.mark[0]!]]
    if (toHead) parts.push(tip(ends[0]![0], back(last, last - 1, head), line.classes.includes('minus')))
    if (fromHead) parts.push(tip(ends[1]![0], back(0, 1, head), false))
    for (const [end, handle, mark] of ends) {
      if (mark !== 'o') continue
      const u = Math.sign(handle[1] - end[1])
      parts.push(svg('circle', { class: 'open', cx: end[0], cy: end[1] + u * 5, r: 4.5 }))
    }
    const d = `M${cut[0]!.map((v) => v.toFixed(1)).join(' ')}${cut.slice(1).reduce((s, p, i) => s + (i % 3 === 0 ? 'C' : ' ') + p.map((v) => v.toFixed(1)).join(' '), '')}`
    g.append(svg('path', { class: 'hit', d }), svg('path', { class: 'halo', d }), svg('path', { class: 'stroke', d, 'stroke-width': line.width.toFixed(1) }), ...parts)
    const b = basisShape(line.basis, this.samples[k]!)
    if (b) g.append(b)
    return g
  }

  // loop is a line from a box to itself: a mark at the corner of the box.
  private loop(line: SceneLine, g: SVGElement): SVGElement {
    const [x, y] = this.at[line.from]!
    const right = x + this.widths[line.from]! / 2
    const d = `M${right} ${y - 8}c22 -12 22 28 0 16`
    g.append(svg('path', { class: 'hit', d }), svg('path', { class: 'stroke', d, 'stroke-width': Math.min(line.width, 3).toFixed(1) }), svg('polygon', { class: 'head', points: `${right + 1},${y + 8} ${right + 9},${y + 5} ${right + 8},${y + 13}` }))
    return g
  }

  private box(n: SceneNode, i: number, { w, h: height }: { w: number; h: number }): SVGElement {
    const name = visible(n.name)
    let text = short(n.name, 30)
    while (text.length > 3 && textWidth(text) > w - 20) text = `${text.slice(0, -2)}…`
    const g = svg('g', {
      class: `node ${n.group ? 'group ' : ''}${n.classes ?? ''}`, 'data-node': n.key, role: 'button', tabindex: i === 0 ? 0 : -1,
      'aria-label': `${name}${n.group ? `, group of ${n.group} columns` : ''}${n.warn ? `; ${n.warn}` : ''}`,
    }, svg('rect', { x: -w / 2, y: -height / 2, width: w, height, rx: 10 }), svg('text', { class: 'name', y: n.group ? -6 : 0 }, text))
    if (n.group) g.append(svg('text', { class: 'note', y: 12 }, `${n.group} columns`))
    if (n.warn) g.append(svg('circle', { class: 'warn', cx: w / 2 - 4, cy: -height / 2 + 4, r: 5 }))
    if (!n.group) g.append(svg('circle', { class: 'pull', cx: 0, cy: height / 2, r: 6 }))
    return g
  }

  // note writes a second line on boxes, such as what a change does to them.
  note(notes: Map<string, string>): void {
    for (const [key, i] of this.index) {
      const g = this.boxes[i]!
      const text = notes.get(key)
      if (text === this.notes.get(key)) continue
      g.querySelector('.note:not(.group .note)')?.remove()
      const name = g.querySelector('.name')!
      if (this.scene.nodes[i]!.group) continue
      name.setAttribute('y', text ? '-8' : '0')
      // Where before and after are too wide for the box, after alone is left.
      const fits = text === undefined || textWidth(text, '11px system-ui, sans-serif') <= this.widths[i]! - 8
      if (text) g.append(svg('text', { class: 'note', y: 10 }, fits ? text : text.replace(/^.* (?=→)| at step \d+$/, '')))
    }
    this.notes = notes
  }

  // flow lets marks run along lines from cause to effect.
  flow(keys: ReadonlySet<string> | undefined): void {
    this.scene.lines.forEach((l, k) => {
      const g = this.paths[k]
      const on = keys?.has(l.key) === true && l.mark.endsWith('>')
      if (!g || on === (g.querySelector('.stream') !== null)) return
      if (on) g.querySelector('.stroke')?.after(svg('path', { class: 'stream', d: g.querySelector('.stroke')!.getAttribute('d')! }))
      else g.querySelector('.stream')!.remove()
    })
  }

  // emphasise fades what is not meant and places the labels of lines.
  emphasise(em: Emphasis): void {
    this.emphasis = em
    this.scene.nodes.forEach((n, i) => {
      const c = this.boxes[i]?.classList
      c?.toggle('picked', em.picked.has(n.key))
      c?.toggle('dim', em.nodes !== undefined && !em.nodes.has(n.key))
    })
    this.scene.lines.forEach((l, k) => {
      const c = this.paths[k]?.classList
      c?.toggle('dim', em.lines !== undefined && !em.lines.has(l.key))
      c?.toggle('lit', em.lit?.has(l.key) ?? false)
      c?.toggle('picked', em.picked.has(l.key))
    })
    for (const [k, p] of this.paths.entries()) if (em.lines?.has(this.scene.lines[k]!.key)) p.parentNode!.append(p)
    this.label()
  }

  private label(): void {
    const em = this.emphasis
    const wanted = em.labels === 'none' ? [] : this.scene.lines.flatMap((l, k) => (l.label !== '' && this.routes[k]!.length > 0 && (em.lines?.has(l.key) ?? em.labels === 'all') ? [k] : []))
    wanted.sort((a, b) => this.scene.lines[b]!.weight - this.scene.lines[a]!.weight)
    const places = placeLabels(this.samples, [...this.boxesOf(), ...this.loopsOf()], wanted.slice(0, 60).map((line) => ({ line, w: textWidth(this.scene.lines[line]!.label, '12px system-ui, sans-serif') + 8, h: 16 })))
    this.layers.labels.replaceChildren(...[...places].map(([k, [x, y]]) => svg('text', { class: `tag ${this.scene.lines[k]!.classes}`, x: x.toFixed(1), y: y.toFixed(1), 'data-of': this.scene.lines[k]!.key }, this.scene.lines[k]!.label)))
  }

  private boxesOf(): Box[] {
    const pad = 3
    return this.scene.nodes.map((n, i) => {
      const [x, y] = this.at[i]!
      const [w, hh] = [this.widths[i]! / 2 + pad, (n.group ? 26 : high / 2) + pad]
      return [x - w, y - hh, x + w, y + hh]
    })
  }

  // loopsOf is the room of the lines from a box to itself, which have no route.
  private loopsOf(): Box[] {
    return this.scene.lines.filter((_, k) => this.routes[k]!.length === 0).map((l) => {
      const [x, y] = this.at[l.from]!
      const right = x + this.widths[l.from]! / 2
      return [right, y - 14, right + 21, y + 16]
    })
  }

  private room(): [number, number] {
    const { top, right, bottom, left } = this.insets
    return [Math.max(this.host.clientWidth - left - right, 120), Math.max(this.host.clientHeight - top - bottom, 120)]
  }

  // inset tells what stands over the edges of the window, and fits the drawing into the rest.
  inset(insets: Canvas['insets']): void {
    const same = (Object.keys(insets) as (keyof Canvas['insets'])[]).every((k) => insets[k] === this.insets[k])
    this.insets = insets
    if (!same && this.fitted && this.scene.nodes.length > 0) this.lay(true)
  }

  // fit shows everything, or what keys name.
  fit(smooth = true, keys?: string[]): void {
    const l = this.layout
    if (!l) return
    let [x1, y1, x2, y2] = [l.left, l.top, l.right, l.bottom]
    if (l.bands.length > 0) [x1, y1, x2, y2] = [x1 - 60, Math.min(y1, l.bands[0]!.top - 34), x2 + 60, Math.max(y2, l.bands.at(-1)!.bottom + 16)]
    if (keys) {
      const list = keys.flatMap((k) => this.index.get(k) ?? [])
      if (list.length === 0) return
      x1 = Math.min(...list.map((i) => this.at[i]![0] - this.widths[i]! / 2))
      x2 = Math.max(...list.map((i) => this.at[i]![0] + this.widths[i]! / 2))
      y1 = Math.min(...list.map((i) => this.at[i]![1] - 40))
      y2 = Math.max(...list.map((i) => this.at[i]![1] + 40))
    }
    const [W, H] = this.room()
    const z = Math.min(W / Math.max(x2 - x1, 1), H / Math.max(y2 - y1, 1), keys ? 1.2 : 1.3)
    const pan: Point = [this.insets.left + (W - z * (x1 + x2)) / 2, this.insets.top + (H - z * (y1 + y2)) / 2]
    this.fitted = !keys
    this.go(z, pan, smooth)
  }

  private go(zoom: number, pan: Point, smooth: boolean): void {
    this.zoomed = zoom
    this.pan = pan
    this.world.classList.toggle('glide', smooth && !still())
    this.transform()
  }

  private transform(): void {
    this.world.style.transform = `translate(${this.pan[0].toFixed(2)}px, ${this.pan[1].toFixed(2)}px) scale(${this.zoomed.toFixed(4)})`
    this.svg.classList.toggle('far', this.zoomed < 0.55)
    this.on.moved()
  }

  zoom(factor: number, at?: Point): void {
    const c = at ?? [this.host.clientWidth / 2, this.host.clientHeight / 2]
    const z = Math.min(Math.max(this.zoomed * factor, 0.05), 3)
    const f = z / this.zoomed
    this.fitted = false
    this.go(z, [c[0]! - (c[0]! - this.pan[0]) * f, c[1]! - (c[1]! - this.pan[1]) * f], !at)
  }

  // reveal brings boxes into the window if they are out of it, or too small to read.
  reveal(keys: string[]): void {
    const out = keys.some((k) => {
      const p = this.place(k)
      return p && (p.x - p.w / 2 < 0 || p.y - p.h / 2 < this.insets.top / 2 || p.x + p.w / 2 > this.host.clientWidth || p.y + p.h / 2 > this.host.clientHeight - this.insets.bottom / 2)
    })
    if (out || this.zoomed < 0.35) this.fit(true, keys)
  }

  // place is where a box is on the screen, from the corner of the canvas.
  place(key: string): { x: number; y: number; w: number; h: number } | undefined {
    const i = this.index.get(key)
    if (i === undefined) return undefined
    const [x, y] = this.at[i]!
    return { x: this.pan[0] + x * this.zoomed, y: this.pan[1] + y * this.zoomed, w: this.widths[i]! * this.zoomed, h: high * this.zoomed }
  }

  // bandAt is the band at a height of the screen.
  bandAt(y: number): number | undefined {
    const at = (y - this.pan[1]) / this.zoomed
    return this.layout?.bands.find((b) => at > b.top - 34 && at < b.bottom + 18)?.band
  }

  // picture is a copy for a file: what is drawn, without the window.
  picture(): { svg: SVGElement; box: [number, number, number, number] } {
    const l = this.layout ?? { left: 0, right: 100, top: 0, bottom: 100, bands: [] }
    const pad = l.bands.length > 0 ? 64 : 20
    const box: [number, number, number, number] = [l.left - pad, l.top - pad, l.right - l.left + 2 * pad, l.bottom - l.top + 2 * pad]
    const world = this.world.cloneNode(true) as SVGElement
    world.removeAttribute('style')
    return { svg: world, box }
  }

  focus(key: string): void {
    const i = this.index.get(key)
    if (i === undefined) return
    for (const b of this.boxes) b.setAttribute('tabindex', '-1')
    this.boxes[i]!.setAttribute('tabindex', '0')
    ;(this.boxes[i] as unknown as HTMLElement).focus()
  }

  // next is the box nearest in a direction.
  private next(from: number, [dx, dy]: Point): number | undefined {
    let best: number | undefined
    let least = Infinity
    this.at.forEach(([x, y], i) => {
      const [vx, vy] = [x - this.at[from]![0], y - this.at[from]![1]]
      const along = vx * dx + vy * dy
      if (i === from || along <= 4) return
      const cost = along + 2.2 * Math.abs(vx * dy - vy * dx)
      if (cost < least) [least, best] = [cost, i]
    })
    return best
  }

  private listen(): void {
    const part = (e: Event) => {
      const el = e.target as Element
      const node = el.closest?.('[data-node]')?.getAttribute('data-node') ?? undefined
      const line = el.closest?.('[data-line]')?.getAttribute('data-line') ?? undefined
      return { ...(node !== undefined && { node }), ...(line !== undefined && { line }), pull: el.classList.contains('pull') }
    }
    const inHost = (e: { clientX: number; clientY: number }) => {
      const r = this.host.getBoundingClientRect()
      return { x: e.clientX - r.left, y: e.clientY - r.top }
    }
    const touches = new Map<number, Point>()
    let spread = 0
    let hold: { x: number; y: number; node?: string; pull: boolean; pan: Point; moved: boolean; what: ReturnType<typeof part> } | undefined
    this.svg.addEventListener('pointerdown', (e) => {
      const p = inHost(e)
      touches.set(e.pointerId, [p.x, p.y])
      if (touches.size === 2) {
        const [a, b] = [...touches.values()]
        spread = Math.hypot(a![0] - b![0], a![1] - b![1])
        hold = undefined
        return
      }
      if (e.button !== 0) return
      const what = part(e)
      hold = { ...p, ...(what.node !== undefined && { node: what.node }), pull: what.pull, pan: [...this.pan], moved: false, what }
      this.world.classList.remove('glide')
    })
    addEventListener('pointermove', (e) => {
      const p = inHost(e)
      if (touches.has(e.pointerId)) touches.set(e.pointerId, [p.x, p.y])
      if (touches.size === 2) {
        const [a, b] = [...touches.values()]
        const now = Math.hypot(a![0] - b![0], a![1] - b![1])
        if (spread > 0) this.zoom(now / spread, [(a![0] + b![0]) / 2, (a![1] + b![1]) / 2])
        spread = now
        return
      }
      if (!hold) return
      if (!hold.moved && Math.hypot(p.x - hold.x, p.y - hold.y) > 5) {
        hold.moved = true
        this.svg.classList.add('dragging')
        this.on.over(undefined, p)
      }
      if (!hold.moved) return
      if (hold.node === undefined || e.pointerType === 'touch') {
        this.fitted = false
        this.pan = [hold.pan[0] + p.x - hold.x, hold.pan[1] + p.y - hold.y]
        this.transform()
        return
      }
      const from = this.place(hold.node)!
      if (hold.pull) {
        const to = document.elementFromPoint(e.clientX, e.clientY)?.closest('[data-node]')?.getAttribute('data-node')
        this.ghost(svg('line', { class: 'ghost-line', x1: (from.x - this.pan[0]) / this.zoomed, y1: (from.y - this.pan[1]) / this.zoomed + high / 2, x2: (p.x - this.pan[0]) / this.zoomed, y2: (p.y - this.pan[1]) / this.zoomed }))
        for (const b of this.boxes) b.classList.toggle('target', b.getAttribute('data-node') === to && to !== hold.node)
        return
      }
      const copy = this.boxes[this.index.get(hold.node)!]!.cloneNode(true) as SVGElement
      copy.setAttribute('transform', `translate(${(p.x - this.pan[0]) / this.zoomed} ${(p.y - this.pan[1]) / this.zoomed})`)
      copy.removeAttribute('data-node')
      copy.setAttribute('class', 'node ghost')
      copy.setAttribute('tabindex', '-1')
      this.ghost(copy)
      this.on.dragging(hold.node, { x: e.clientX, y: e.clientY })
    })
    const end = (e: PointerEvent) => {
      touches.delete(e.pointerId)
      spread = 0
      const was = hold
      hold = undefined
      this.svg.classList.remove('dragging')
      this.ghost()
      for (const b of this.boxes) b.classList.remove('target')
      if (!was) return
      if (was.moved && was.node !== undefined && e.type === 'pointerup' && e.pointerType !== 'touch') {
        const to = document.elementFromPoint(e.clientX, e.clientY)?.closest('[data-node]')?.getAttribute('data-node')
        if (was.pull) {
          if (to && to !== was.node) this.on.drawn(was.node, to)
        } else this.on.drop(was.node, { x: e.clientX, y: e.clientY })
      }
      this.on.dragging(undefined)
      if (was.moved || e.type !== 'pointerup') return
      const title = (e.target as Element).getAttribute?.('data-title')
      if (title !== null && title !== undefined) return this.on.rename(Number(title))
      if (was.what.node !== undefined) this.on.node(was.what.node, e)
      else if (was.what.line !== undefined) this.on.line(was.what.line)
      else this.on.ground()
    }
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    this.svg.addEventListener('pointerover', (e) => {
      if (hold?.moved) return
      const what = part(e)
      this.on.over(what.node !== undefined || what.line !== undefined ? what : undefined, inHost(e))
    })
    this.svg.addEventListener('pointerleave', (e) => this.on.over(undefined, inHost(e)))
    this.svg.addEventListener('contextmenu', (e) => {
      const what = part(e)
      if (what.node === undefined && what.line === undefined) return
      e.preventDefault()
      this.on.menu(what, { x: (e as MouseEvent).clientX, y: (e as MouseEvent).clientY })
    })
    this.svg.addEventListener('wheel', (e) => {
      e.preventDefault()
      const w = e as WheelEvent
      const p = inHost(w)
      this.world.classList.remove('glide')
      if (w.ctrlKey || Math.abs(w.deltaY) >= Math.abs(w.deltaX)) this.zoom(Math.exp(-w.deltaY / (w.ctrlKey ? 100 : 500)), [p.x, p.y])
      else {
        this.pan = [this.pan[0] - w.deltaX, this.pan[1]]
        this.transform()
      }
    }, { passive: false })
    this.svg.addEventListener('keydown', (e) => {
      const k = e as KeyboardEvent
      const title = (k.target as Element).getAttribute('data-title')
      if (title !== null && (k.key === 'Enter' || k.key === ' ')) {
        k.preventDefault()
        return this.on.rename(Number(title))
      }
      const key = (k.target as Element).closest('[data-node]')?.getAttribute('data-node')
      if (!key) return
      const i = this.index.get(key)!
      const way: Record<string, Point> = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }
      const go = way[k.key]
      if (go) {
        const to = this.next(i, go)
        if (to !== undefined) {
          this.focus(this.scene.nodes[to]!.key)
          this.reveal([this.scene.nodes[to]!.key])
        }
      } else if (k.key === 'Enter' || k.key === ' ') this.on.node(key, k)
      else if (k.key === 'ContextMenu' || (k.key === 'F10' && k.shiftKey) || k.key === 'm') {
        const r = this.boxes[i]!.getBoundingClientRect()
        this.on.menu({ node: key }, { x: r.left + r.width / 2, y: r.bottom })
      } else return
      k.preventDefault()
      k.stopPropagation()
    })
  }

  private ghost(...el: SVGElement[]): void {
    this.layers.ghost.replaceChildren(...el)
  }
}

// basisShape is the mark of what a direction rests on, near the beginning of its line: a square for you, a ring for names, a diamond for rules.
function basisShape(basis: string | undefined, points: Point[]): SVGElement | undefined {
  const p = points[Math.min(2, points.length - 1)]
  if (!p) return undefined
  const [x, y] = p
  if (basis === 'you') return svg('rect', { class: 'basis', x: x - 4, y: y - 4, width: 8, height: 8, rx: 1 })
  if (basis === 'names') return svg('circle', { class: 'basis hollow', cx: x, cy: y, r: 4 })
  if (basis === 'rules') return svg('path', { class: 'basis', d: `M${x} ${y - 5}l5 5l-5 5l-5 -5z` })
  return undefined
}

// swatch draws a line of the legend.
export function swatch(classes: string, mark: Mark = '-->', basis?: string): SVGElement {
  const line = svg('g', { class: `line ${classes}` }, svg('path', { class: 'stroke', d: mark === '---' ? 'M1 7H39' : 'M1 7H31', 'stroke-width': 2.5 }),
    mark.endsWith('>') && svg('polygon', { class: `head${classes.includes('minus') ? ' hollow' : ''}`, points: '39,7 30,2.5 30,11.5' }))
  const b = basisShape(basis, [[0, 7], [0, 7], [14, 7]])
  if (b) line.append(b)
  return svg('svg', { class: 'swatch', viewBox: '0 0 40 14', width: 40, height: 14, 'aria-hidden': 'true' }, line)
}

