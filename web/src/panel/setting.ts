import type { Distribution, Effects, Outcome, PairEffect, Quantity } from '../data'
import { plane } from '../chart'
import { graphOf, resultOf, type App } from '../app'
import { bdi, fact, h, num, plural, short, signed, svg } from '../dom'
import { setting } from '../effect'
import { terms } from '../terms'
import type { Query } from '../paths'
import { barred, percent } from './effect'

// The effect of intervening on one variable on another. Under a linear model it follows from the weights of the result; for other models
// package effect computed it when the page was written.

// sloping shows, under a linear model, the interval of the total effect, the part through each mediator, and the distribution of the
// other variable under the intervention.
export function sloping(app: App, q: Query): Node[] {
  const { names } = app.model.page
  const result = resultOf(app)
  const s = setting(graphOf(app), result.nodes, result.table.groups?.effective_rows ?? result.rows, q.from, q.to, q.mediators)
  if (!s) return []
  const a = result.nodes[q.from]!
  const at = [a.mean - a.std, a.mean, a.mean + a.std]
  return [
    h('dl', { class: 'facts' },
      ...fact('90 % interval', `${num(s.low)} to ${num(s.high)}`, terms.interval),
      ...s.through.flatMap((t) => fact(`Through ${short(names[t.v]!, 20)}`, num(t.effect)))),
    h('table', { class: 'shares' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, bdi(names[q.from]!, 20), ' set to'), h('th', { scope: 'col' }, 'mean of ', bdi(names[q.to]!, 20)), h('th', { scope: 'col' }, '90 % of rows'))),
      h('tbody', {}, at.map((x) => h('tr', {}, h('td', { class: 'n' }, num(x)), h('td', { class: 'n' }, num(s.mean(x))), h('td', { class: 'n' }, `${num(s.mean(x) - 1.645 * s.std)} to ${num(s.mean(x) + 1.645 * s.std)}`))))),
    h('p', {}, h('small', {}, 'The interval assumes that the graph is known. polydag effect computes intervals that include the uncertainty of the graph, which needs the table, and the ', h('span', { title: terms.robustness }, 'robustness value'), '.')),
  ]
}

// unsloped shows the effect of an intervention under a nonlinear model, or how to compute it.
export function unsloped(app: App, q: Query): Node[] {
  const { names, results } = app.model.page
  const { effects } = results[app.store.now.view.result]!
  const found = effects?.list.find((e) => e.from === q.from && e.to === q.to)
  if (effects && found) return setPair(found, effects, names[q.from]!, names[q.to]!)
  return [
    h('p', {}, bdi(names[q.from]!, 30), ' is an ancestor of ', bdi(names[q.to]!, 30), '. Some effects under this model are not slopes, so no total is computed along paths.'),
    h('p', {}, h('small', {}, effects
      ? `${told(effects)} polydag effect computes the others; polydag report --data adds more to this page.`
      : 'The size of the effect needs the table: polydag report --data adds it to this page, polydag effect prints it.')),
  ]
}

// told reports for how many pairs the page has effects.
const told = (e: Effects) => `This page has the effects of ${e.list.length} of ${e.pairs} pairs, those nearest to each other.`

// setPair shows the effect with its interval, its parts, and the distribution of the other variable where the one is set.
function setPair(e: PairEffect, all: Effects, from: string, to: string): Node[] {
  const mean = e.effects[0]!.outcome === 'mean'
  return [
    h('h3', {}, 'Effect of intervening on ', bdi(from, 26), ' on ', bdi(to, 26)),
    h('div', { class: 'setting' },
      h('p', {}, bdi(from, 26), ' set to ', h('strong', {}, value(e.contrast.end)), ' instead of ', h('strong', {}, value(e.contrast.start)), ' changes ',
        mean && e.effects.length === 1 ? ['the mean of ', bdi(to, 26)] : [mean && 'the mean, and ', 'the probabilities of ', bdi(to, 26), ', in percentage points,'], ' by'),
      parts(e, to),
      e.low && h('p', { class: 'note' }, 'A direction at ', bdi(from, 26), ' is not identified: the range is over all graphs that fit equally well.'),
      e.do.length > 0 && distributions(e.do, from, to),
      h('p', {}, h('small', {}, basis(e, all.level), h('span', { title: terms.eValue }, hidden(e)), all.list.length < all.pairs && ` ${told(all)}`))),
  ]
}

// value shows a category unchanged and a number with four digits.
const value = (text: string) => bdi(text.trim() !== '' && Number.isFinite(Number(text)) ? num(Number(text)) : text, 20)

// parts has a column for each figure and a row for the total effect and each of its parts, with intervals below.
function parts(e: PairEffect, to: string): HTMLElement {
  const say = (o: Outcome) => (v: number) => (o.outcome === 'mean' ? signed(v, 4) : v === 0 ? '0' : `${v > 0 ? '+' : '−'}${Math.abs(100 * v).toFixed(1)}`)
  const cell = (o: Outcome, q: Quantity, total = false) =>
    h('td', { class: 'n' }, h(total ? 'strong' : 'span', { class: total ? (q.value < 0 ? 'minus' : 'plus') : '' }, say(o)(q.value)), q.low !== undefined && h('small', {}, between(q, say(o))))
  const row = (name: (Node | string)[], of: (o: Outcome, k: number) => HTMLElement) => h('tr', {}, h('th', { scope: 'row' }, name), e.effects.map(of))
  const direct = e.effects.some((o) => o.direct.value !== 0)
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Effect on ${short(to)} and its parts` },
    h('table', { class: 'parts' },
      e.effects.length + Number(e.effects[0]!.outcome !== 'mean') > 1 &&
        h('thead', {}, h('tr', {}, h('td', {}), e.effects.map((o) => h('th', { class: 'n', scope: 'col' }, o.outcome === 'mean' ? 'mean' : bdi(o.outcome, 16))))),
      h('tbody', {},
        row(['total effect'], (o) => cell(o, o.total, true)),
        e.low && row(['all graphs that fit equally well'], (o, k) => h('td', { class: 'n' }, `${say(o)(e.low![k]!)} to ${say(o)(e.high![k]!)}`)),
        direct && row(['direct effect'], (o) => cell(o, o.direct)),
        e.effects[0]!.through.map((t, k) => row(['through ', bdi(t.name, 22)], (o) => cell(o, o.through[k]!))))))
}

const between = (q: Quantity, say: (v: number) => string) => (q.low === undefined ? '' : `${say(q.low)} to ${say(q.high!)}`)

// distributions draws those of a number along numbers as bands, those of a number at levels as boxes, and those of levels as a table.
function distributions(list: Distribution[], from: string, to: string): HTMLElement {
  if (list[0]!.levels) return shares(list, from, to)
  const at = list.map((d) => Number(d.do))
  return list.length > 2 && at.every(Number.isFinite) ? bands(list, at, from, to) : boxes(list, from, to)
}

// few keeps at most five rows of a table, the ends among them.
function few(list: Distribution[]): Distribution[] {
  if (list.length <= 6 || !list.every((d) => Number.isFinite(Number(d.do)))) return list
  return [0, 1, 2, 3, 4].map((k) => list[Math.round((k * (list.length - 1)) / 4)]!)
}

function shares(list: Distribution[], from: string, to: string): HTMLElement {
  const levels = list[0]!.levels!
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Probabilities of ${short(to)} where ${short(from)} is set` },
    h('table', { class: 'shares do' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, bdi(from, 18), ' set to'), levels.map((l) => h('th', { class: 'n', scope: 'col' }, bdi(to, 14), ' = ', bdi(l.name, 16))))),
      h('tbody', {}, few(list).map((d) => h('tr', {},
        h('th', { scope: 'row' }, value(d.do)),
        d.levels!.map((l) => {
          const cell = barred(l.value, percent(l.value))
          if (l.low !== undefined) cell.append(h('small', {}, `${(100 * l.low).toFixed(1)}–${(100 * l.high!).toFixed(1)}`))
          return cell
        }))))))
}

const quantile = (d: Distribution, p: number) => d.quantiles!.find((q) => q.p === p)!.value

// bands draws the mean with its interval, and where nine of ten rows and half of them would be.
function bands(list: Distribution[], xs: number[], from: string, to: string): HTMLElement {
  const p = plane(xs[0]!, xs.at(-1)!, Math.min(...list.map((d) => quantile(d, 0.05))), Math.max(...list.map((d) => quantile(d, 0.95))), short(from, 30), 210)
  const line = (of: (d: Distribution) => number) => list.map((d, k) => `${p.x(xs[k]!).toFixed(1)} ${p.y(of(d)).toFixed(1)}`)
  const band = (name: string, low: (d: Distribution) => number, high: (d: Distribution) => number) =>
    svg('path', { class: name, d: `M${line(low).join('L')}L${line(high).reverse().join('L')}Z` })
  const bounded = list.every((d) => d.mean!.low !== undefined)
  return h('figure', { class: 'chart do' },
    svg('svg', { viewBox: `0 0 ${p.W} ${p.H}`, role: 'img', 'aria-label': `${short(to)} where ${short(from)} is set, from ${list[0]!.do} to ${list.at(-1)!.do}` },
      band('band wide', (d) => quantile(d, 0.05), (d) => quantile(d, 0.95)),
      band('band', (d) => quantile(d, 0.25), (d) => quantile(d, 0.75)),
      bounded ? band('band mean', (d) => d.mean!.low!, (d) => d.mean!.high!) : undefined,
      svg('path', { class: 'curve', d: `M${line((d) => d.mean!.value).join('L')}` }),
      p.axes),
    h('figcaption', {}, bdi(to, 26), ' where ', bdi(from, 26), ' is set: the mean', bounded && ' with its interval', ', and where half and nine of ten of the rows would be'),
    h('details', {}, h('summary', {}, 'In numbers'), numbers(few(list), from, to)))
}

// boxes has a line for each level: nine of ten rows, half of them, and the mean.
function boxes(list: Distribution[], from: string, to: string): HTMLElement {
  const p = plane(Math.min(...list.map((d) => quantile(d, 0.05))), Math.max(...list.map((d) => quantile(d, 0.95))), 0, 1, short(to, 30), 44 + 24 * list.length, { left: 92, values: false })
  return h('figure', { class: 'chart do' },
    svg('svg', { viewBox: `0 0 ${p.W} ${p.H}`, role: 'img', 'aria-label': `${short(to)} where ${short(from)} is set to each category` },
      p.axes,
      list.map((d, k) => {
        const y = 20 + 24 * k
        const [a, b, c, e] = [0.05, 0.25, 0.75, 0.95].map((q) => p.x(quantile(d, q)))
        return [
          svg('text', { x: 86, y: y + 4, 'text-anchor': 'end' }, short(d.do, 14)),
          svg('line', { class: 'range', x1: a, y1: y, x2: e, y2: y }),
          svg('rect', { class: 'band', x: b, y: y - 7, width: c! - b!, height: 14, rx: 2 }),
          svg('circle', { class: 'dot', cx: p.x(d.mean!.value), cy: y, r: 3.5 }),
        ]
      })),
    h('figcaption', {}, bdi(to, 26), ' where ', bdi(from, 26), ' is set: the mean, half of the rows in the box, nine of ten along the line'),
    h('details', {}, h('summary', {}, 'In numbers'), numbers(list, from, to)))
}

function numbers(list: Distribution[], from: string, to: string): HTMLElement {
  const say = (v: number) => num(v)
  return h('table', { class: 'shares' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, bdi(from, 18), ' set to'), h('th', { class: 'n', scope: 'col' }, 'mean of ', bdi(to, 16)), h('th', { class: 'n', scope: 'col' }, '90 % of rows'))),
    h('tbody', {}, list.map((d) => h('tr', {},
      h('th', { scope: 'row' }, value(d.do)),
      h('td', { class: 'n' }, num(d.mean!.value), d.mean!.low !== undefined && h('small', {}, between(d.mean!, say))),
      h('td', { class: 'n' }, `${num(quantile(d, 0.05))} to ${num(quantile(d, 0.95))}`)))))
}

// basis describes how the numbers were computed and what they assume.
function basis(e: PairEffect, level: number): string {
  const of = e.replicates > 0 ? `${Math.round(100 * level)} % intervals from ${e.replicates} bootstrap samples, given the graph; polydag effect also includes the uncertainty of the graph.` : 'Intervals were omitted to save time; polydag report --data or polydag effect computes them.'
  const parts = e.between ? ` The parts through the ${plural(e.between, 'mediator')} were omitted to save time; polydag report --data or polydag effect computes them.` : ''
  const error = Math.max(0, ...e.do.map((d) => d.sampling_error ?? 0))
  const drawn = error > 0 ? ` Probabilities are drawn from the model, with standard errors of up to ${num(100 * error, 2)} percentage points.` : ''
  return `${of}${parts}${drawn} This assumes that the graph is true and that there are no hidden confounders (untestable).`
}

// hidden states the E-value: how strongly a hidden confounder would have to act.
function hidden(e: PairEffect): string {
  const s = e.hidden?.e_value
  if (s === undefined) return ''
  return ` A hidden confounder could explain it away if its risk ratio with both variables is at least ${num(s, 3)} (E-value)${e.hidden!.e_value_interval === undefined ? '' : `, or ${num(e.hidden!.e_value_interval, 3)} for the interval`}.`
}
