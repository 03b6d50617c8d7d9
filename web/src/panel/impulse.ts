import type { App } from '../app'
import { resultOf } from '../app'
import { plane } from '../chart'
import type { PairEffect, Response } from '../data'
import { sloped } from '../gain'
import { bdi, h, num, plural, short, svg } from '../dom'
import { terms } from '../terms'

// impulse shows how the second variable changes over time after a change of the first one that lasts one step. The numbers are those of
// polydag effect.
export function impulse(app: App, from: number, to: number): Node[] {
  const { names, results } = app.model.page
  const { effects } = results[app.store.now.view.result]!
  const title = h('h3', { title: terms.impulse }, 'Response of ', bdi(names[to]!, 26), ' to ', bdi(names[from]!, 26))
  const why = (text: string) => [title, h('p', {}, text)]
  if (!effects) return why(sloped(resultOf(app)) ? 'Responses over time need a DAG.' : 'Responses over time under this model need the table: polydag report --data adds them to this page.')
  const found = effects.list.find((e) => e.from === from && e.to === to)
  if (found?.impulse) return [title, ...byOutcome(found.impulse).map((list) => h('div', { class: 'impulse' }, chart(app, found, list, from, to)))]
  return why(effects.list.length < effects.pairs
    ? `This page has the responses of ${effects.list.length} of ${effects.pairs} pairs, those nearest to each other; polydag effect computes the others.`
    : `A change of ${short(names[from]!, 26)} has no effect on ${short(names[to]!, 26)} at any later time: no path leads there.`)
}

// byOutcome lists the responses of each outcome.
export const byOutcome = (list: Response[]): Response[][] => [...new Set(list.map((r) => r.outcome))].map((o) => list.filter((r) => r.outcome === o))

// changed says how the first variable changes at step 0.
export function changed({ contrast: c }: PairEffect, name: string): string {
  if (c.change) return `After a change of ${short(name, 26)} by ${num(c.change, 3)} (one standard deviation of its noise)`
  return c.unit ? `After a change of ${short(name, 26)} by 1 unit` : `If ${short(name, 26)} is ${short(c.end, 26)} instead of ${short(c.start, 26)}`
}

// range includes 0, so that the line of no change is inside the picture.
const range = (values: number[]): [number, number] => [Math.min(0, ...values), Math.max(0, ...values)]

function chart(app: App, e: PairEffect, list: Response[], from: number, to: number): Node[] {
  const { names, results } = app.model.page
  const [a, b] = [names[from]!, names[to]!]
  const outcome = list[0]!.outcome
  const what = outcome === undefined ? [bdi(b, 26)] : ['the probability of ', bdi(b, 26), ' = ', bdi(outcome, 26)]
  const bounded = list.every((r) => r.low !== undefined)
  const level = Math.round(100 * results[app.store.now.view.result]!.effects!.level)
  const step = resultOf(app).time?.step ?? '1'
  const p = plane(0, list.length - 1, ...range(list.flatMap((r) => [r.value, r.low ?? r.value, r.high ?? r.value])), 'time steps after the change', 200)
  const line = (of: (r: (typeof list)[number]) => number) => list.map((r) => `${p.x(r.step).toFixed(1)} ${p.y(of(r)).toFixed(1)}`)
  const peak = list.reduce((m, r) => (Math.abs(r.value) > Math.abs(m.value) ? r : m))
  const sure = list.filter((r) => r.low! > 0 || r.high! < 0)
  return [
    h('p', {}, changed(e, a), ' at step 0, the change of ', what, ' is largest at ', h('strong', {}, `step ${peak.step}: ${num(peak.value)}`), bounded && ` (${level} % interval ${num(peak.low)} to ${num(peak.high)})`, '.',
      bounded && ` ${sure.length === 0 ? 'No interval excludes 0.' : sure.length === list.length ? 'All intervals exclude 0.' : `The interval excludes 0 at ${plural(sure.length, 'step')}: ${sure.map((r) => r.step).join(', ')}.`}`),
    h('figure', { class: 'chart do' },
      svg('svg', { viewBox: `0 0 ${p.W} ${p.H}`, role: 'img', 'aria-label': `Response of ${short(b)} to ${short(a)}: ${num(list[0]!.value)} at step 0, ${num(peak.value)} at step ${peak.step}, ${num(list.at(-1)!.value)} at step ${list.length - 1}` },
        bounded ? svg('path', { class: 'band', d: `M${line((r) => r.low!).join('L')}L${line((r) => r.high!).reverse().join('L')}Z` }) : undefined,
        svg('line', { class: 'axis', x1: p.left, x2: p.W - p.right, y1: p.y(0), y2: p.y(0), 'stroke-dasharray': '4 3' }),
        Math.min(p.y(0) - p.top, p.H - p.bottom - p.y(0)) > 14 && svg('text', { x: p.left - 5, y: p.y(0) + 4, 'text-anchor': 'end' }, '0'),
        svg('path', { class: 'curve', d: `M${line((r) => r.value).join('L')}` }),
        list.map((r) => svg('circle', { class: 'dot', cx: p.x(r.step).toFixed(1), cy: p.y(r.value).toFixed(1), r: 2.5 })),
        p.axes),
      h('figcaption', {}, 'Change of ', what.map((x) => (typeof x === 'string' ? x : x.cloneNode(true))), bounded && ` with its ${level} % interval`, step !== '1' && `; one step is ${step}`),
      h('details', {}, h('summary', {}, 'In numbers'), h('table', { class: 'shares' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'step'), h('th', { class: 'n', scope: 'col' }, 'change of ', bdi(b, 16)), bounded && h('th', { class: 'n', scope: 'col' }, `${level} % interval`))),
        h('tbody', {}, list.map((r) => h('tr', {}, h('th', { scope: 'row' }, String(r.step)), h('td', { class: 'n' }, num(r.value)), bounded && h('td', { class: 'n' }, `${num(r.low)} to ${num(r.high)}`))))))),
    h('p', {}, h('small', {}, bounded ? `Intervals from ${e.replicates} bootstrap samples of blocks of rows, given the graph; polydag effect also includes the uncertainty of the graph.` : 'Intervals need the table: polydag report --data adds them to this page, polydag effect prints them.', ' This assumes that the graph is true and that there are no hidden confounders (untestable).')),
  ]
}
