import { h, svg } from './dom'
import { directed, inLegend, sure, verdicts } from './certainty'
import { definition, terms } from './terms'
import { sign } from './gain'
import { dash, verdictDash, type Palette } from './palette'
import type { Mark, Page } from './data'
import type { State } from './state'
import type { EdgeView, Standing, View } from './view'

function swatch(colour: string, pattern?: number[], hollow = false, mark: Mark = '-->'): SVGElement {
  const head = (points: string) => svg('polygon', { points, fill: hollow ? 'none' : colour, stroke: colour, 'stroke-width': 1.5 })
  const circle = (cx: number) => svg('circle', { cx, cy: 6, r: 4, fill: 'none', stroke: colour, 'stroke-width': 1.5 })
  return svg(
    'svg',
    { width: 40, height: 12, viewBox: '0 0 40 12', 'aria-hidden': 'true' },
    svg('line', { x1: mark[0] === '-' ? 1 : 9, y1: 6, x2: mark[2] === '-' ? 39 : 31, y2: 6, stroke: colour, 'stroke-width': 2.5, 'stroke-dasharray': pattern?.join(' ') }),
    mark[2] === '>' ? head('31,2 38,6 31,10') : mark[2] === 'o' && circle(35),
    mark[0] === '<' ? head('9,2 2,6 9,10') : mark[0] === 'o' && circle(5),
  )
}

function cell(colour: string, hole?: string): SVGElement {
  return svg('svg', { width: 14, height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true' }, svg('rect', { width: 14, height: 14, fill: colour }), hole !== undefined && svg('rect', { x: 5, y: 5, width: 4, height: 4, fill: hole }))
}

function disc(colour: string): SVGElement {
  return svg('svg', { width: 14, height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true' }, svg('circle', { cx: 7, cy: 7, r: 7, fill: colour }))
}

// ofGroups explains the overview of groups.
function ofGroups(colours: Palette): HTMLElement[] {
  const box = svg('rect', { x: 1, y: 1, width: 24, height: 12, rx: 3, fill: 'none', stroke: colours.ink, 'stroke-width': 2 })
  const line = (y: number, w: number) => svg('line', { x1: 0, y1: y, x2: 40, y2: y, stroke: colours.border, 'stroke-width': w })
  return [
    h('li', { title: terms.group }, svg('svg', { width: 26, height: 14, viewBox: '0 0 26 14', 'aria-hidden': 'true' }, box), 'group of variables, named after the best connected ones'),
    h('li', {}, svg('svg', { width: 40, height: 14, viewBox: '0 0 40 14', 'aria-hidden': 'true' }, line(3, 1.5), line(10, 6)), 'all edges between two groups; thicker: more edges'),
  ]
}

// legend says in words what every line and mark of the view means, and how many there are.
export function legend(view: View, edges: EdgeView[], page: Page, sensitive: number, colours: Palette, { how, opened }: Pick<State, 'how' | 'opened'>): HTMLElement {
  if (how === 'groups' && opened.size === 0) return h('ul', { class: 'legend', 'aria-label': 'Legend' }, ofGroups(colours))
  const asMatrix = how === 'matrix'
  const count = (s: Standing) => edges.filter((e) => e.standing === s).length
  const item = (mark: Node, text: string) => h('li', {}, mark, text)
  const of = (s: Exclude<Standing, 'plain'>, text: string) =>
    item(swatch(colours.standing[s], dash[s], false, s === 'turned' ? '<->' : s === 'unoriented' ? '---' : '-->'), `${text} (${count(s)})`)
  const items: HTMLElement[] = []
  switch (view.kind) {
    case 'truth':
      items.push(
        of('right', 'right'),
        of('reversed', 'reversed: opposite direction in the truth'),
        of('missing', 'missing: in the truth only'),
        of('extra', 'extra: not in the truth'),
      )
      if (count('unoriented') > 0) items.push(of('unoriented', 'adjacent in the truth, learned without a direction'))
      break
    case 'compare':
      items.push(of('both', 'in both'), of('turned', edges.some((e) => e.edge && !sure(e.edge)) ? 'in both, reversed or with other marks' : 'in both, reversed'), of('only_first', 'only in A'), of('only_second', 'only in B'))
      break
    case 'result': {
      const has = (s: number) => edges.length === 0 || edges.some((e) => directed(e.edge) && sign(e.edge) === s)
      const levels = edges.length > 0 && has(0)
      const inWords = 'no sign: nominal categories, or a curve that is not monotone'
      if (asMatrix) {
        if (has(1)) items.push(item(cell(colours.plus), 'positive effect'))
        if (has(-1)) items.push(item(cell(colours.minus, colours.ground), 'negative effect (with a hole)'))
        if (levels) items.push(item(cell(colours.level), inWords))
        const open = edges.filter((e) => directed(e.edge) && !sure(e.edge!)).length
        if (open > 0) items.push(item(disc(colours.dim), `undirected or weak: in both cells, neither is the parent (${open})`))
        break
      }
      if (has(1)) items.push(item(swatch(colours.plus), 'positive effect'))
      if (has(-1)) items.push(item(swatch(colours.minus, undefined, true), 'negative effect (hollow head)'))
      if (levels) items.push(item(swatch(colours.level), inWords))
      for (const v of verdicts) {
        const n = edges.filter((e) => e.edge?.verdict === v).length
        if (n > 0) items.push(h('li', { title: definition[v] }, swatch(colours.dim, verdictDash[v], false, v === 'directed' ? '-->' : '---'), `${inLegend[v]} (${n})`))
      }
    }
  }
  for (const [mark, words] of Object.entries(page.marks) as [Mark, string][]) {
    const n = edges.filter((e) => e.edge?.mark === mark).length
    if (n > 0 && mark !== '-->' && (mark !== '---' || !edges.some((e) => e.edge?.verdict))) items.push(item(swatch(colours.dim, undefined, false, mark), `${words} (${n})`))
  }
  if (how === 'groups') items.push(...ofGroups(colours))
  items.push(h('li', { title: terms.gain }, asMatrix ? 'square: the row is the parent, the column the child; deeper colour: larger score gain' : 'thicker: larger score gain'))
  if (page.results[view.result]?.result.edges.some((e) => e.confidence !== undefined)) items.push(h('li', { title: terms.confidence }, 'fainter: lower confidence'))
  if (how === 'time') items.push(h('li', { title: terms.unrolled }, 'very faint: the same edge at earlier steps'))
  if (sensitive > 0) {
    items.push(
      item(
        svg('svg', { width: 26, height: 14, viewBox: '0 0 26 14', 'aria-hidden': 'true' },
          svg('path', { d: 'M5 1H21L25 5V9L21 13H5L1 9V5Z M6 3H20L23 6V8L20 11H6L3 8V6Z', fill: 'none', stroke: colours.ink })),
        'sensitive',
      ),
      item(
        svg('svg', { width: 40, height: 12, viewBox: '0 0 40 12', 'aria-hidden': 'true' },
          svg('line', { x1: 0, y1: 6, x2: 40, y2: 6, stroke: colours.lit, 'stroke-width': 11, opacity: 0.55 }),
          svg('line', { x1: 0, y1: 6, x2: 40, y2: 6, stroke: colours.ink, 'stroke-width': 2 })),
        'on a path through a sensitive variable',
      ),
    )
  }
  return h('ul', { class: 'legend', 'aria-label': 'Legend' }, items)
}
