import { short } from './dom'
import { groups } from './groups'
import type { Palette } from './palette'
import type { Rows } from './state'
import { atLag, hides, weighed, type EdgeView, type Which } from './view'
import { sure } from './certainty'
import { signClass } from './gain'

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
const named = 9 // px of a cell from which on each row has its name
const margin = 44 // at the right, for the zoom buttons

// inOrder is the order of rows and columns: variables with an edge only. Where the order is that of the certificate every directed
// edge is above the diagonal.
export function inOrder(names: string[], edges: EdgeView[], order: string[] | undefined, rows: Rows): { vs: number[]; group: number[] } {
  const index = new Map(names.map((name, v) => [name, v]))
  const place = new Array<number>(names.length).fill(Infinity)
  ;(order ?? names).forEach((name, k) => (place[index.get(name)!] = k))
  const joined = new Set(edges.flatMap((e) => [e.from, e.to]))
  const vs = [...joined].sort((a, b) => (rows === 'names' ? names[a]!.localeCompare(names[b]!) : place[a]! - place[b]!) || a - b)
  if (rows !== 'groups') return { vs, group: vs.map(() => 0) }
  const at = new Map(vs.map((v, k) => [v, k]))
  const of = groups(vs.length, edges.map((e) => ({ from: at.get(e.from)!, to: at.get(e.to)!, weight: Math.max(e.size, 1e-6) })))
  // Groups come by the middle of their places, so that causes stay before effects as far as they can.
  const middle = new Map<number, number>()
  for (const c of new Set(of)) {
    const members = of.flatMap((g, k) => (g === c ? [k] : []))
    middle.set(c, members.reduce((a, b) => a + b, 0) / members.length)
  }
  const by = vs.map((v, k) => ({ v, k, c: of[k]! })).sort((a, b) => middle.get(a.c)! - middle.get(b.c)! || a.c - b.c || a.k - b.k)
  return { vs: by.map((b) => b.v), group: by.map((b) => b.c) }
}

// Matrix draws edges as cells: the row is where the edge comes from, the column where it goes. An edge without a stated direction is a
// disc on both sides of the diagonal.
export class Matrix {
  private vs: number[] = []
  private group: number[] = []
  private at = new Map<number, number>() // row of a variable
  private cells = new Map<number, { edge: EdgeView; bare: boolean; open: boolean; lags: number[] }>()
  private timed = false // some edge has a lag, and so each cell has its lags
  private strongest = 1
  private size = 12 // px of a cell
  private x = 0 // of the first cell, px
  private y = 0
  private head = 90 // px for names at the left and on top
  private filter: { least: number; which: Which } = { least: 0, which: 'all' }
  private picked: number[] = []
  private over: [row: number, column: number] | undefined
  private drag: { x: number; y: number; moved: boolean } | undefined
  private shown = false
  private readonly pen: CanvasRenderingContext2D

  constructor(
    private readonly host: HTMLCanvasElement,
    public names: string[],
    private colour: Palette,
    private readonly on: { edge: (e: EdgeView) => void; variable: (v: number) => void; nothing: () => void; hover: (e: EdgeView | { row: number; column: number } | undefined, x: number, y: number) => void },
  ) {
    this.pen = host.getContext('2d')!
    host.addEventListener('pointermove', (e) => this.move(e))
    host.addEventListener('pointerleave', () => this.leave())
    host.addEventListener('pointerdown', (e) => {
      this.drag = { x: e.offsetX, y: e.offsetY, moved: false }
      host.setPointerCapture(e.pointerId)
    })
    host.addEventListener('pointerup', (e) => {
      if (this.drag && !this.drag.moved) this.click(e.offsetX, e.offsetY)
      this.drag = undefined
    })
    host.addEventListener('wheel', (e) => {
      e.preventDefault()
      this.zoomAt(Math.exp(-e.deltaY / 400), e.offsetX, e.offsetY)
    }, { passive: false })
    host.addEventListener('keydown', (e) => this.key(e))
  }

  colours(p: Palette): void {
    this.colour = p
    this.draw()
  }

  // show draws the edges with one lag, or all of them. The rows are those of all edges.
  show(all: EdgeView[], order: string[] | undefined, rows: Rows, lag?: number): void {
    ;({ vs: this.vs, group: this.group } = inOrder(this.names, all, order, rows))
    const edges = atLag(all, lag)
    this.at = new Map(this.vs.map((v, k) => [v, k]))
    this.cells = new Map()
    this.timed = all.some((e) => e.lagged)
    this.strongest = Math.max(...all.map((e) => e.size), 1e-9)
    const n = this.vs.length
    for (const e of edges) {
      const [i, j] = [this.at.get(e.from)!, this.at.get(e.to)!]
      const bare = !weighed(e) && e.standing !== 'missing'
      const open = !bare && e.edge !== undefined && !sure(e.edge) && e.edge.lag === undefined
      const put = (key: number) => {
        const old = this.cells.get(key)
        const lags = [...(old?.lags ?? []), ...(e.lagged?.map((x) => x.lag!) ?? [0])].sort((a, b) => a - b)
        this.cells.set(key, old && old.edge.size > e.size ? { ...old, lags } : { edge: e, bare, open, lags })
      }
      put(i * n + j)
      if (bare || open) put(j * n + i) // no direction: on both sides of the diagonal
    }
    this.shown = false
    this.fit()
  }

  sift(filter: { least: number; which: Which }, picked: number[]): void {
    this.filter = filter
    this.picked = picked
    this.draw()
  }

  // fit shows the whole of it, cells as large as the window allows.
  fit(): void {
    const [W, H] = [this.host.clientWidth, this.host.clientHeight]
    if (W === 0 || this.vs.length === 0) return
    const room = (head: number) => Math.min((W - head - margin) / this.vs.length, (H - head - 12) / this.vs.length)
    this.pen.font = `12px ${font}`
    const widest = Math.min(Math.max(...this.vs.map((v) => this.pen.measureText(this.label(v)).width)) + 10, 150, W / 3)
    this.head = room(widest) >= named ? widest : 26
    this.size = Math.min(Math.max(room(this.head), 0.5), 56)
    this.x = this.head + Math.max(0, (W - margin - this.head - this.size * this.vs.length) / 2)
    this.y = this.head
    this.shown = true
    this.draw()
  }

  zoom(factor: number): void {
    this.zoomAt(factor, this.host.clientWidth / 2, this.host.clientHeight / 2)
  }

  private label(v: number): string {
    return short(this.names[v]!, 22)
  }

  private zoomAt(factor: number, px: number, py: number): void {
    const size = Math.min(Math.max(this.size * factor, 0.5), 60)
    const k = size / this.size
    this.x = px - (px - this.x) * k
    this.y = py - (py - this.y) * k
    this.size = size
    if (size >= named && this.head < 60) {
      this.pen.font = `12px ${font}`
      this.head = Math.min(Math.max(...this.vs.map((v) => this.pen.measureText(this.label(v)).width)) + 10, 150)
    }
    this.draw()
  }

  // cell is the row and column under a point, -1 for the names.
  private cell(px: number, py: number): [number, number] {
    const n = this.vs.length
    const to = (p: number, first: number) => {
      const k = Math.floor((p - first) / this.size)
      return k < 0 || k >= n ? undefined : k
    }
    const row = to(py, this.y)
    const column = to(px, this.x)
    return [py < this.head ? -1 : (row ?? -2), px < this.head || (px < this.x && row !== undefined) ? -1 : (column ?? -2)]
  }

  private move(e: PointerEvent): void {
    if (this.drag) {
      const [dx, dy] = [e.offsetX - this.drag.x, e.offsetY - this.drag.y]
      if (this.drag.moved || Math.hypot(dx, dy) > 4) {
        this.x += dx
        this.y += dy
        this.drag = { x: e.offsetX, y: e.offsetY, moved: true }
        this.draw()
      }
      return
    }
    const [row, column] = this.cell(e.offsetX, e.offsetY)
    this.over = row >= -1 && column >= -1 && row + column > -2 ? [row, column] : undefined
    const edge = row >= 0 && column >= 0 ? this.edgeAt(row, column) : undefined
    if (edge) this.on.hover(edge, e.offsetX, e.offsetY)
    else if (this.over) this.on.hover({ row: this.vs[row] ?? -1, column: this.vs[column] ?? -1 }, e.offsetX, e.offsetY)
    else this.on.hover(undefined, 0, 0)
    this.draw()
  }

  private leave(): void {
    this.over = undefined
    this.on.hover(undefined, 0, 0)
    this.draw()
  }

  private click(px: number, py: number): void {
    const [row, column] = this.cell(px, py)
    const edge = row >= 0 && column >= 0 ? this.edgeAt(row, column) : undefined
    if (edge) this.on.edge(edge)
    else if (row >= 0 && column === -1) this.on.variable(this.vs[row]!)
    else if (column >= 0 && row === -1) this.on.variable(this.vs[column]!)
    else this.on.nothing()
  }

  // key walks the edges in the order of rows.
  private key(e: KeyboardEvent): void {
    if (e.key === '+' || e.key === '=') this.zoom(1.3)
    else if (e.key === '-') this.zoom(1 / 1.3)
    else if (e.key === '0') this.fit()
    else if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
      const n = this.vs.length
      const list = [...this.cells].filter(([k, { edge: c }]) => !this.weak(c) && k === this.at.get(c.from)! * n + this.at.get(c.to)!).map(([k]) => k).sort((a, b) => a - b)
      if (list.length === 0) return
      const [a, b] = this.picked
      const now = a !== undefined && b !== undefined ? list.indexOf(this.at.get(a)! * n + this.at.get(b)!) : -1
      const next = list[(now + (e.key === 'ArrowRight' ? 1 : list.length - 1 + (now < 0 ? 1 : 0))) % list.length]!
      this.on.edge(this.cells.get(next)!.edge)
    } else return
    e.preventDefault()
  }

  private weak(e: EdgeView): boolean {
    return hides(e, this.filter)
  }

  private edgeAt(row: number, column: number): EdgeView | undefined {
    const c = this.cells.get(row * this.vs.length + column)
    return c && !this.weak(c.edge) ? c.edge : undefined
  }

  private draw(): void {
    const [W, H] = [this.host.clientWidth, this.host.clientHeight]
    if (W === 0 || H === 0) return
    if (!this.shown) return this.fit()
    const dpr = Math.min(devicePixelRatio || 1, 2)
    if (this.host.width !== Math.round(W * dpr) || this.host.height !== Math.round(H * dpr)) {
      this.host.width = Math.round(W * dpr)
      this.host.height = Math.round(H * dpr)
    }
    const { pen, colour: p, size, x, y, vs, head } = this
    const n = vs.length
    pen.setTransform(dpr, 0, 0, dpr, 0, 0)
    pen.fillStyle = p.ground
    pen.fillRect(0, 0, W, H)
    const [x2, y2] = [x + n * size, y + n * size]
    pen.save()
    pen.beginPath()
    pen.rect(head, head, W - head, H - head)
    pen.clip()
    pen.fillStyle = p.node
    pen.fillRect(x, y, n * size, n * size)
    this.paintGroups(p)
    if (size >= 5) {
      pen.strokeStyle = p.ground
      pen.lineWidth = 1
      pen.beginPath()
      for (let k = 0; k <= n; k++) {
        pen.moveTo(x + k * size, y)
        pen.lineTo(x + k * size, y2)
        pen.moveTo(x, y + k * size)
        pen.lineTo(x2, y + k * size)
      }
      pen.stroke()
    }
    pen.strokeStyle = p.border
    pen.globalAlpha = 0.6
    pen.beginPath()
    pen.moveTo(x, y)
    pen.lineTo(x2, y2)
    pen.stroke()
    pen.globalAlpha = 1
    const gap = size >= 5 ? 1 : 0
    const least = Math.max(size - gap, 1.6)
    for (const [key, { edge, bare, open, lags }] of this.cells) {
      if (this.weak(edge)) continue
      const [cx, cy] = [x + (key % n) * size, y + Math.floor(key / n) * size]
      if (cx > W || cy > H || cx + size < head || cy + size < head) continue
      const kind = signClass(edge.edge)
      pen.fillStyle = edge.standing !== 'plain' ? p.standing[edge.standing] : bare ? p.dim : p[kind]
      pen.globalAlpha = 1
      const fill = pen.fillStyle
      pen.fillStyle = p.ground
      pen.fillRect(cx, cy, least, least)
      if (open) {
        pen.fillStyle = p.node
        pen.fillRect(cx, cy, least, least)
      }
      pen.fillStyle = fill
      pen.globalAlpha = bare || edge.standing === 'missing' ? 0.6 : 0.18 + 0.82 * Math.sqrt(edge.size / this.strongest)
      if (open && size >= 5) {
        pen.beginPath()
        pen.arc(cx + least / 2, cy + least / 2, least / 2, 0, 2 * Math.PI)
        pen.fill()
      } else pen.fillRect(cx, cy, least, least)
      // The sign is told by more than colour: a negative weight has a hole.
      const hole = this.timed ? 0.1 : 0.375 // lags stand in the middle
      if (edge.standing === 'plain' && kind === 'minus' && size >= 9) {
        pen.globalAlpha = 1
        pen.fillStyle = p.ground
        pen.fillRect(cx + size * hole, cy + size * hole, size / 4, size / 4)
      }
      if (this.timed && size >= 18) {
        pen.globalAlpha = 1
        pen.fillStyle = p.ink
        pen.font = `11px ${font}`
        pen.textAlign = 'center'
        pen.textBaseline = 'middle'
        pen.strokeStyle = p.ground
        pen.lineWidth = 3
        pen.lineJoin = 'round'
        pen.strokeText(lags.join(', '), cx + size / 2, cy + size / 2, size - 2)
        pen.fillText(lags.join(', '), cx + size / 2, cy + size / 2, size - 2)
      }
    }
    pen.globalAlpha = 1
    const [a, b] = this.picked.map((v) => this.at.get(v))
    pen.strokeStyle = p.pick
    pen.lineWidth = 2
    if (a !== undefined && b !== undefined) {
      const [r, c] = this.cells.has(a * n + b) ? [a, b] : [b, a]
      pen.strokeRect(x + c * size - 1, y + r * size - 1, Math.max(size, 4) + 1, Math.max(size, 4) + 1)
    } else if (a !== undefined) {
      pen.strokeRect(x - 1, y + a * size - 1, n * size + 2, Math.max(size, 2) + 1)
      pen.strokeRect(x + a * size - 1, y - 1, Math.max(size, 2) + 1, n * size + 2)
    }
    if (this.over) {
      pen.globalAlpha = 0.16
      pen.fillStyle = p.ink
      if (this.over[0] >= 0) pen.fillRect(x, y + this.over[0] * size, n * size, Math.max(size, 1))
      if (this.over[1] >= 0) pen.fillRect(x + this.over[1] * size, y, Math.max(size, 1), n * size)
      pen.globalAlpha = 1
    }
    pen.restore()
    this.paintNames(W, H)
  }

  // paintGroups frames each group of two or more.
  private paintGroups(p: Palette): void {
    const { pen, size, x, y, group } = this
    if (new Set(group).size < 2) return
    for (let from = 0; from < group.length; ) {
      let to = from
      while (to < group.length && group[to] === group[from]) to++
      if (to - from > 1) {
        pen.fillStyle = p.lit
        pen.globalAlpha = 0.12
        pen.fillRect(x + from * size, y + from * size, (to - from) * size, (to - from) * size)
        pen.globalAlpha = 1
        pen.strokeStyle = p.border
        pen.lineWidth = 1
        pen.strokeRect(x + from * size, y + from * size, (to - from) * size, (to - from) * size)
      }
      from = to
    }
  }

  // paintNames writes as many names as there is room for; the row and column under the pointer have theirs always.
  private paintNames(W: number, H: number): void {
    const { pen, colour: p, size, x, y, vs, head } = this
    pen.textBaseline = 'middle'
    const px = Math.min(12, Math.max(size * 0.85, 8))
    const every = size >= named
    vs.forEach((v, k) => {
      const lit = this.over?.[0] === k || this.over?.[1] === k || this.picked.includes(v)
      if (!every) return
      pen.font = `${lit ? 'bold ' : ''}${px}px ${font}`
      pen.fillStyle = lit ? p.pick : p.ink
      const at = k * size + size / 2
      if (y + at > head && y + at < H) {
        pen.textAlign = 'right'
        pen.fillText(this.label(v), Math.max(x, head) - 6, y + at, head - 8)
      }
      if (x + at > head && x + at < W) {
        pen.save()
        pen.translate(x + at, Math.max(y, head) - 6)
        pen.rotate(-Math.PI / 2)
        pen.textAlign = 'left'
        pen.fillText(this.label(v), 0, 0, head - 8)
        pen.restore()
      }
    })
    if (!every) {
      pen.font = `12px ${font}`
      pen.fillStyle = p.dim
      pen.textAlign = 'left'
      pen.fillText('to: columns; from: rows. Names are under the pointer, or zoom in', head, head / 2)
    }
  }
}
