import { graphOf, type App } from '../app'
import { plane } from '../chart'
import type { Effect } from '../data'
import { bdi, h, num, short, svg } from '../dom'
import { directed, sure } from '../certainty'

// edgeEffect shows the effect of the edge between two variables, in either direction: in words, and as a curve or a table.
export function edgeEffect(app: App, from: number, to: number): Node[] {
  const g = graphOf(app)
  const { names, results } = app.model.page
  for (const [a, b] of [[from, to], [to, from]] as const) {
    const edge = g.edge(a, b)
    if (!edge?.effect || !directed(edge)) continue
    const { result, says, effects } = results[app.store.now.view.result]!
    const words = says?.[result.edges.indexOf(edge)] ?? []
    const f = edge.effect
    // The table of interventions has the same probabilities from a model of the categories; the graph was learned with a linear one.
    if (f.form === 'table' && f.x && effects?.list.some((e) => e.from === a && e.to === b && e.do.length > 0)) return []
    return [
      h('h3', {}, 'Effect of ', bdi(names[a]!, 26), ' on ', bdi(names[b]!, 26), !sure(edge) && ', if this is the direction'),
      h('div', { class: 'effect' },
        f.form === 'curve' ? curve(f, names[a]!, names[b]!) : f.form === 'means' ? means(f, names[a]!, names[b]!) : table(f, names[a]!, names[b]!),
        words.length > 0 && h('p', {}, words.map((w, k) => [k > 0 && h('br'), h('bdi', {}, w)]), '.'),
        h('p', {}, h('small', {}, 'The other parents of ', bdi(names[b]!, 26), ' are averaged over all rows.'))),
    ]
  }
  return []
}

export const percent = (p: number) => (p > 0 && p < 0.001 ? '< 0.1 %' : `${(100 * p).toFixed(1)} %`)

// barred is a cell with a bar behind its number. The policy of the page forbids style attributes; setting a property is allowed.
export function barred(share: number, text: string, title?: string): HTMLElement {
  const cell = h('td', { class: 'n share', title }, text)
  cell.style.setProperty('--share', `${(100 * share).toFixed(1)}%`)
  return cell
}

// table has the probability of each category of the child at each value of the parent, with a bar behind it.
function table(f: Effect, from: string, to: string): HTMLElement {
  const levels = f.to_levels!
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Probabilities of ${short(to)} by ${short(from)}` },
    h('table', { class: 'shares' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, bdi(from, 18)), levels.map((l) => h('th', { class: 'n', scope: 'col' }, bdi(to, 14), ' = ', bdi(l, 16))), f.rows && h('th', { class: 'n', scope: 'col' }, 'rows'))),
      h('tbody', {}, f.p!.map((row, i) => h('tr', {},
        h('th', { scope: 'row' }, f.x ? 'at ' : '= ', bdi(f.from_levels![i]!, 16)),
        row.map((p, j) => barred(p, percent(p), f.counts && `${f.counts[i]![j]} rows`)),
        f.rows && h('td', { class: 'n' }, String(f.rows[i])))))))
}

const centre = (f: Effect) => (f.median ? 'median of ' : 'mean of ')

function means(f: Effect, from: string, to: string): HTMLElement {
  const [low, high] = [Math.min(...f.y!), Math.max(...f.y!)]
  const share = (y: number) => (high > low ? 0.1 + (0.9 * (y - low)) / (high - low) : 1)
  return h('div', { class: 'scroll' },
    h('table', { class: 'shares' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, bdi(from, 24)), h('th', { class: 'n', scope: 'col' }, centre(f), bdi(to, 24)), f.rows && h('th', { class: 'n', scope: 'col' }, 'rows'))),
      h('tbody', {}, f.from_levels!.map((l, i) => h('tr', {},
        h('th', { scope: 'row' }, '= ', bdi(l, 24)),
        barred(share(f.y![i]!), num(f.y![i])),
        f.rows && h('td', { class: 'n' }, String(f.rows[i])))))))
}

// curve draws the mean of the child along the parent. Beyond the marks, where one row of twenty is on each side, it is thin and the
// ground is shaded. Dots are where it was computed; they stand at quantiles and so closer where there are more rows.
function curve(f: Effect, from: string, to: string): HTMLElement {
  const [xs, ys] = [f.x!, f.y!]
  const [x1, x2] = [xs[0]!, xs.at(-1)!]
  const { W, H, left, right, top, bottom, x, y, axes } = plane(x1, x2, Math.min(...ys), Math.max(...ys), short(from, 30))
  const d = xs.map((v, k) => `${k === 0 ? 'M' : 'L'}${x(v).toFixed(1)} ${y(ys[k]!).toFixed(1)}`).join('')
  const [a, b] = [x(f.low ?? x1), x(f.high ?? x2)]
  return h('figure', { class: 'chart' },
    svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': `${f.median ? 'Median' : 'Mean'} of ${short(to)} along ${short(from)}, from ${num(x1)} to ${num(x2)}` },
      svg('defs', {}, svg('clipPath', { id: 'most-rows' }, svg('rect', { x: a, y: 0, width: Math.max(b - a, 0), height: H }))),
      svg('rect', { class: 'few', x: left, y: top, width: Math.max(a - left, 0), height: H - top - bottom }),
      svg('rect', { class: 'few', x: b, y: top, width: Math.max(W - right - b, 0), height: H - top - bottom }),
      axes,
      svg('path', { class: 'curve thin', d }),
      svg('path', { class: 'curve', d, 'clip-path': 'url(#most-rows)' }),
      xs.map((v, k) => svg('circle', { class: 'dot', cx: x(v).toFixed(1), cy: y(ys[k]!).toFixed(1), r: 1.8 })),
    ),
    h('figcaption', {}, f.median ? 'Median of ' : 'Mean of ', bdi(to, 26), ' along ', bdi(from, 26), f.low !== undefined && `; 90 % of the rows are between ${num(f.low, 3)} and ${num(f.high, 3)}, few in the shaded parts`))
}
