import cytoscape from 'cytoscape'
import { basis, directed } from './certainty'
import type { Mark } from './data'
import { signed, visible } from './dom'
import { stylesheet, width as lineWidth } from './look'
import type { Palette } from './palette'
import { relative, sample } from './route'
import type { State } from './state'
import { weighed, word, type EdgeView, type Model, type View } from './view'

// What is emphasised. Absent sets: nothing is faded.
export interface Emphasis {
  nodes?: Set<number>
  edges?: Set<string>
  lit: Set<string> // edges on paths through a sensitive variable, or on the one path that was chosen
  picked: number[]
  sensitive: Set<number>
}

export const edgeID = (from: number, to: number) => `${from}>${to}`

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

// Canvas draws the graph and knows nothing of panels.
export class Canvas {
  readonly cy: cytoscape.Core
  private edges: EdgeView[] = []
  private readonly big: boolean
  private gathered = false
  private readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches

  constructor(
    host: HTMLElement,
    private readonly model: Model,
    colours: Palette,
  ) {
    const { page } = model
    this.big = page.routes.length > many
    this.cy = cytoscape({
      container: host,
      elements: page.names.map((name, v) => {
        const [x, y, w, h] = page.nodes[v]!
        return { group: 'nodes' as const, data: { id: `n${v}`, v, name: visible(name), w, h }, position: { x, y } }
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
  }

  colours(p: Palette): void {
    this.cy.style(stylesheet(p))
  }

  // show puts the edges of a view in the place of those before.
  show(view: View): EdgeView[] {
    this.edges = this.model.edges(view)
    const strongest = Math.max(...this.edges.map((e) => e.strength), 1e-9)
    const pieces = this.big ? 2 : this.edges.length > 150 ? 5 : 10
    this.cy.batch(() => {
      this.cy.edges().remove()
      this.cy.add(
        this.edges.map((e) => {
          const value = e.edge?.standardized ?? 0
          const classes: string[] = [e.standing]
          if (!e.edge || directed(e.edge)) {
            classes.push(value < 0 ? 'minus' : 'plus')
            if (e.edge) classes.push(basis(e.edge))
          } else classes.push('bare', ...ends[e.edge.mark])
          const line = sample(e.route, e.route.from !== e.from, pieces)
          const data: Record<string, unknown> = {
            id: edgeID(e.from, e.to),
            source: `n${e.from}`,
            target: `n${e.to}`,
            strength: e.strength,
            width: lineWidth(e, strongest),
            opacity: 0.3 + 0.7 * (e.edge?.confidence ?? 1),
          }
          if (line) {
            classes.push('routed')
            const [s, t] = [this.model.page.nodes[e.from]!, this.model.page.nodes[e.to]!]
            data.start = [line.start[0] - s[0], line.start[1] - s[1]]
            data.end = [line.end[0] - t[0], line.end[1] - t[1]]
            Object.assign(data, relative(line))
          }
          return { group: 'edges' as const, data, classes }
        }),
      )
    })
    // Words go where room was kept for them; the library knows offsets from the middle of the line only.
    for (const e of this.edges) {
      if (!e.route.label) continue
      const el = this.cy.getElementById(edgeID(e.from, e.to)) as unknown as cytoscape.EdgeSingular
      const m = el.midpoint()
      el.data({ mx: e.route.label[0] - m.x, my: e.route.label[1] - m.y })
    }
    return this.edges
  }

  // sift hides weak edges and lonely variables. It returns how many edges are left, and the variables without an edge.
  sift(state: State, keep: Set<string>): { shown: number; of: number; alone: number[] } {
    let shown = 0
    let of = 0
    const joined = new Set<number>()
    this.cy.batch(() => {
      for (const e of this.edges) {
        const id = edgeID(e.from, e.to)
        const weak = weighed(e) && e.strength < state.least
        const hide = weak && !keep.has(id)
        this.cy.getElementById(id).toggleClass('hidden', hide)
        joined.add(e.from).add(e.to)
        if (e.standing === 'missing') continue
        of++
        if (!weak) shown++
      }
    })
    const alone: number[] = []
    this.cy.batch(() => {
      this.model.page.names.forEach((_, v) => {
        if (joined.has(v)) this.cy.getElementById(`n${v}`).removeClass('hidden')
        else {
          alone.push(v)
          this.cy.getElementById(`n${v}`).toggleClass('hidden', !state.isolated && !state.picked.includes(v))
        }
      })
    })
    return { shown, of, alone }
  }

  emphasise(em: Emphasis, weights: boolean): void {
    const few = this.edges.length <= mostLabels
    this.cy.batch(() => {
      this.cy.nodes().forEach((n) => {
        const v = n.data('v') as number
        n.toggleClass('picked', em.picked.includes(v))
        n.toggleClass('sensitive', em.sensitive.has(v))
        n.toggleClass('faded', em.nodes !== undefined && !em.nodes.has(v))
      })
      for (const e of this.edges) {
        const id = edgeID(e.from, e.to)
        const el = this.cy.getElementById(id)
        const near = em.edges?.has(id) ?? false
        el.toggleClass('lit', em.lit.has(id))
        el.toggleClass('faded', em.edges !== undefined && !near)
        const parts: string[] = []
        if (few || near) {
          if (e.standing !== 'plain' && e.standing !== 'right' && e.standing !== 'both') parts.push(word[e.standing])
          if ((weights || (near && em.picked.length > 0)) && e.edge && directed(e.edge)) parts.push(signed(e.edge.standardized, 2))
        }
        const text = parts.join(' ')
        if (text !== ((el.data('label') as string | undefined) ?? '')) el.data('label', text)
      }
    })
  }

  // fit shows everything that is not hidden. It goes by the places of boxes and curves: asking the library would have it measure
  // every name first, a third of the time that a page of 100 variables takes to open.
  fit(): void {
    this.cy.resize()
    let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity]
    const see = (x: number, y: number, w = 0, h = 0) => {
      x1 = Math.min(x1, x - w / 2)
      y1 = Math.min(y1, y - h / 2)
      x2 = Math.max(x2, x + w / 2)
      y2 = Math.max(y2, y + h / 2)
    }
    this.cy.nodes().forEach((n) => {
      if (n.hasClass('hidden') || n.hasClass('away')) return
      const { x, y } = n.position()
      see(x, y, n.data('w') as number, n.data('h') as number)
    })
    if (x1 > x2) return
    if (!this.gathered) {
      for (const { route } of this.edges) for (let k = 0; route.points && k < route.points.length; k += 2) see(route.points[k]!, route.points[k + 1]!)
    }
    const padding = this.cy.width() < 500 ? 12 : 28
    const room = this.cy.width() - (this.cy.width() < 500 ? 0 : 44) // the zoom buttons stand at the right
    const zoom = Math.min((room - 2 * padding) / (x2 - x1), (this.cy.height() - 2 * padding) / (y2 - y1), 1.6)
    this.cy.viewport({ zoom, pan: { x: (room - zoom * (x1 + x2)) / 2, y: (this.cy.height() - zoom * (y1 + y2)) / 2 } })
  }

  // near zooms to variables and their neighbours.
  near(vs: number[]): void {
    let eles = this.cy.collection()
    for (const v of vs) eles = eles.union(this.cy.getElementById(`n${v}`))
    const around = eles.union(eles.neighborhood().filter(':visible'))
    this.move({ fit: { eles: around, padding: 40 } }, eles)
  }

  // gather moves a variable's neighbours to it, parents above and children below, and hides the rest. Without one, everything
  // goes back to its place.
  gather(v: number | undefined, parents: number[], children: number[]): void {
    const { nodes } = this.model.page
    this.gathered = v !== undefined
    this.cy.batch(() => {
      this.cy.edges().toggleClass('straight', v !== undefined)
      const keep = new Set(v === undefined ? [] : [v, ...parents, ...children])
      this.cy.nodes().forEach((n) => {
        const u = n.data('v') as number
        n.toggleClass('away', v !== undefined && !keep.has(u))
        n.position({ x: nodes[u]![0], y: nodes[u]![1] })
      })
      if (v === undefined) return
      const [x, y] = nodes[v]!
      const rows = (list: number[], side: -1 | 1) => {
        const wide = 5
        for (let r = 0; r * wide < list.length; r++) {
          const row = list.slice(r * wide, (r + 1) * wide).sort((a, b) => nodes[a]![0] - nodes[b]![0])
          let at = x - row.reduce((sum, u) => sum + nodes[u]![2] + 44, -44) / 2
          for (const u of row) {
            this.cy.getElementById(`n${u}`).position({ x: at + nodes[u]![2] / 2, y: y + side * (110 + 55 * r) })
            at += nodes[u]![2] + 44
          }
        }
      }
      rows(parents, -1)
      rows(children, 1)
    })
    this.fit()
  }

  zoom(factor: number): void {
    const level = this.cy.zoom() * factor
    this.cy.zoom({ level, renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } })
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
