import type cytoscape from 'cytoscape'
import { idOf } from './canvas'
import { arrow, directed, inBrief, symbol } from './certainty'
import { num, short, visible } from './dom'
import { font } from './look'
import { dash, verdictDash, type Palette } from './palette'
import type { Store } from './state'
import { bitsOf, sign, signClass } from './gain'
import { endMarks, lagsOf, type EdgeView, type Model } from './view'

export interface Shown {
  model: Model
  store: Store
  edges: EdgeView[]
  cy: cytoscape.Core
}

const ns = 'http://www.w3.org/2000/svg'

function make(tag: string, attrs: Record<string, string | number | undefined>, ...children: (Element | string)[]): Element {
  const el = document.createElementNS(ns, tag)
  for (const [k, v] of Object.entries(attrs)) if (v !== undefined) el.setAttribute(k, typeof v === 'number' ? String(Math.round(v * 100) / 100) : v)
  el.append(...children)
  return el
}

// draw draws what is in the window, element by element, so that it can be edited and printed at any size.
export function draw({ model, store, edges, cy }: Shown, p: Palette): SVGElement {
  const { x1, y1, w, h } = cy.extent()
  const zoom = cy.zoom()
  const svg = make('svg', {
    xmlns: ns,
    viewBox: [x1, y1, w, h].map((v) => v.toFixed(2)).join(' '),
    width: Math.round(w * zoom),
    height: Math.round(h * zoom),
    'font-family': font,
  })
  const { names } = model.page
  svg.append(
    make('title', {}, model.viewName(store.now.view)),
    make('desc', {}, `Edges with a score gain of at least ${num(bitsOf(store.now.least), 2)} bits per row. ${model.page.caution}`),
    make('rect', { x: x1, y: y1, width: w, height: h, fill: p.ground }),
  )
  const labels: Element[] = []
  const boxes = cy.nodes('.group').filter((n) => n.visible())
  boxes.filter('.open').forEach((n) => void svg.append(box(n, p)))
  cy.edges('.bundle').forEach((el) => void (el.visible() && svg.append(bundle(el, p))))
  for (const e of edges) {
    const el = cy.getElementById(idOf(e)) as unknown as cytoscape.EdgeSingular
    if (el.empty() || !el.visible()) continue
    const points = [el.sourceEndpoint(), ...(el.segmentPoints() ?? (e.from === e.to ? el.controlPoints() : undefined) ?? []), el.targetEndpoint()]
    if (points.some((q) => !q || !Number.isFinite(q.x))) continue
    const bare = e.edge !== undefined && !directed(e.edge)
    const mark = endMarks(e)
    const colour = e.standing !== 'plain' ? p.standing[e.standing] : bare ? p.dim : p[signClass(e.edge)]
    const pattern = e.standing !== 'plain' ? dash[e.standing] : e.edge?.verdict ? verdictDash[e.edge.verdict!] : undefined
    const hollow = e.standing === 'plain' && sign(e.edge) < 0
    const stroke = el.data('width') as number
    const size = Math.max(7, 4.5 + 2 * stroke)
    const opacity = el.hasClass('faded') ? 0.12 : (el.data('opacity') as number)
    const line = (list: cytoscape.Position[]) => 'M' + list.map((q) => `${q.x.toFixed(1)} ${q.y.toFixed(1)}`).join('L')
    const body = points.slice()
    if (mark[2] !== '-') body[body.length - 1] = back(points.at(-1)!, points.at(-2)!, size * 0.9)
    if (mark[0] !== '-') body[0] = back(points[0]!, points[1]!, size * 0.9)
    const group = make('g', { opacity: opacity === 1 ? undefined : opacity },
      make('title', {}, `${visible(names[e.from]!)}${e.edge ? arrow(e.edge) : symbol('-->')}${visible(names[e.to]!)}${e.lagged ? `, ${lagsOf(e)}` : ''}${e.edge?.verdict ? `: ${inBrief(e.edge)}` : ''}`))
    if (el.hasClass('lit')) group.append(make('path', { d: line(points), fill: 'none', stroke: p.lit, 'stroke-width': stroke + 8, 'stroke-opacity': 0.55 }))
    group.append(
      make('path', { d: line(body), fill: 'none', stroke: colour, 'stroke-width': stroke, 'stroke-dasharray': pattern?.join(' ') }),
    )
    const end = (m: string, tip: cytoscape.Position, before: cytoscape.Position) => {
      if (m === 'o') group.append(circle(tip, before, size, colour, p.ground))
      else if (m !== '-') group.append(head(tip, before, size, colour, hollow ? p.ground : colour))
    }
    end(mark[2]!, points.at(-1)!, points.at(-2)!)
    end(mark[0]!, points[0]!, points[1]!)
    svg.append(group)
    const text = el.data('label') as string | undefined
    if (text && !el.hasClass('faded') && !el.hasClass('mute')) {
      const m = el.midpoint()
      labels.push(make('text', { x: m.x + Number(el.data('mx') ?? 0), y: m.y + Number(el.data('my') ?? 0), 'font-size': 11, 'text-anchor': 'middle', 'dominant-baseline': 'central', fill: p.ink, stroke: p.ground, 'stroke-width': 3, 'paint-order': 'stroke' }, text))
    }
  }
  svg.append(...labels)
  boxes.not('.open').forEach((n) => void svg.append(box(n, p)))
  cy.nodes().not('.group').forEach((n) => {
    if (!n.visible()) return
    const v = n.data('v') as number
    const { x, y } = n.position()
    const [bw, bh] = [n.data('w') as number, n.data('h') as number]
    const size = n.data('size') as number
    const [picked, sensitive] = [n.hasClass('picked'), n.hasClass('sensitive')]
    const box = { x: x - bw / 2, y: y - bh / 2, width: bw, height: bh, rx: sensitive ? 0 : 6, fill: picked ? p.pick : p.node, stroke: sensitive ? p.ink : picked ? p.pick : p.border }
    const group = make('g', { opacity: n.hasClass('faded') ? 0.25 : undefined }, make('title', {}, visible(names[v]!) + (sensitive ? ' (sensitive)' : '')), make('rect', box))
    if (sensitive) group.append(make('rect', { x: box.x + 3, y: box.y + 3, width: bw - 6, height: bh - 6, fill: 'none', stroke: p.ink }))
    group.append(make('text', { x, y, 'font-size': size, 'text-anchor': 'middle', 'dominant-baseline': 'central', fill: picked ? p.ground : p.ink }, n.data('text') === '' ? '' : short(names[v]!, Math.floor((bw - 10) / 7.2))))
    svg.append(group)
  })
  return svg as SVGElement
}

// box draws a group: a closed one with its name and number, an open one as a frame with both above it.
function box(n: cytoscape.NodeSingular, p: Palette): Element {
  const { x, y } = n.position()
  const [w, h, size] = [n.data('w') as number, n.data('h') as number, n.data('size') as number]
  const open = n.hasClass('open')
  const lines = (n.data('text') as string).split('\n')
  const top = open ? y - h / 2 - 0.7 * size : y - ((lines.length - 1) * 1.25 * size) / 2
  return make('g', { opacity: n.hasClass('faded') ? 0.25 : undefined },
    make('rect', { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 6, fill: open ? p.node : p.ground, stroke: open ? p.dim : p.ink, 'stroke-width': open ? 1.5 : 2 }),
    ...lines.map((line, k) => make('text', { x, y: top + 1.25 * size * k, 'font-size': size, 'font-weight': '600', 'text-anchor': 'middle', 'dominant-baseline': 'central', fill: p.ink }, line)))
}

// bundle draws a line between groups.
function bundle(el: cytoscape.EdgeSingular, p: Palette): Element {
  const [a, b] = [el.sourceEndpoint(), el.targetEndpoint()]
  const c = el.controlPoints()?.[0] ?? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  const width = el.data('width') as number
  const group = make('g', { opacity: el.hasClass('faded') ? 0.12 : undefined },
    make('path', { d: `M${a.x.toFixed(1)} ${a.y.toFixed(1)}Q${c.x.toFixed(1)} ${c.y.toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`, fill: 'none', stroke: p.dim, 'stroke-width': width }))
  const size = Math.max(7, 4.5 + 2 * width)
  if (!el.hasClass('to-tail')) group.append(head(b, c, size, p.dim, p.dim))
  if (el.hasClass('from-head')) group.append(head(a, c, size, p.dim, p.dim))
  return group
}

// back is the point at a distance from tip towards before.
function back(tip: cytoscape.Position, before: cytoscape.Position, by: number): cytoscape.Position {
  const d = Math.hypot(tip.x - before.x, tip.y - before.y) || 1
  const k = Math.min(by / d, 0.95)
  return { x: tip.x + (before.x - tip.x) * k, y: tip.y + (before.y - tip.y) * k }
}

function head(tip: cytoscape.Position, before: cytoscape.Position, size: number, stroke: string, fill: string): Element {
  const d = Math.hypot(tip.x - before.x, tip.y - before.y) || 1
  const [ux, uy] = [(tip.x - before.x) / d, (tip.y - before.y) / d]
  const [bx, by] = [tip.x - ux * size, tip.y - uy * size]
  const points = [tip, { x: bx - uy * size * 0.45, y: by + ux * size * 0.45 }, { x: bx + uy * size * 0.45, y: by - ux * size * 0.45 }]
  return make('polygon', { points: points.map((q) => `${q.x.toFixed(1)},${q.y.toFixed(1)}`).join(' '), fill, stroke, 'stroke-width': 1 })
}

function circle(tip: cytoscape.Position, before: cytoscape.Position, size: number, stroke: string, fill: string): Element {
  const { x, y } = back(tip, before, size / 2)
  return make('circle', { cx: x, cy: y, r: size * 0.4, fill, stroke, 'stroke-width': 1.5 })
}

export function saveSVG(picture: SVGElement): void {
  save(new Blob([new XMLSerializer().serializeToString(picture)], { type: 'image/svg+xml' }), 'svg')
}

export function downloadPNG({ cy }: Shown, p: Palette): void {
  save(cy.png({ output: 'blob', bg: p.ground, scale: 2 }) as unknown as Blob, 'png')
}

function save(blob: Blob, type: string): void {
  const url = URL.createObjectURL(blob)
  const a = document.createElement('a')
  a.href = url
  a.download = `graph.${type}`
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
