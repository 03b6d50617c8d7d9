import { graphOf, resultOf, variable, type App } from '../app'
import { reversible } from '../certainty'
import { plane } from '../chart'
import type { Distribution, Effects, Node as Facts, PairEffect, Quantity, Result } from '../data'
import { bdi, h, num, plural, replace, short, signed, svg } from '../dom'
import { settings } from '../effect'
import { sloped } from '../gain'
import { barred, percent } from './effect'
import { byOutcome, changed } from './impulse'
import { pairsOf } from './pairs'

// What a variable is expected to be under an intervention on another one.
interface Prediction {
  v: number
  mean?: Quantity
  rows?: [low: number, high: number] // nine of ten rows
  levels?: ({ name: string } & Quantity)[]
  steps?: ({ step: number } & Quantity)[] // change over time, under a model with lags
  outcome?: string // the category whose probability changes over time
}

// A Control chooses a value. Predictions and caption are those for its present value.
interface Control {
  element: HTMLElement
  predictions: () => Prediction[]
  caption: () => string
  pairs?: Effects // the page has some of the pairs only
}

const slides = 40 // positions of a slider

// whatIf says what the other columns would be where one is set. told hears the predictions at each change, for the notes on the graph.
export function whatIf(app: App, v: number, told: (notes: Map<number, string>) => void): Node[] {
  const { names } = app.model.page
  told(new Map())
  const why = refusal(app)
  if (why) return [h('p', { class: 'empty' }, why)]
  const control = controls(app, v)
  const listed = (list: number[]) => [list.slice(0, 12).map((k, i) => [i > 0 && ', ', bdi(names[k]!, 26)]), list.length > 12 && ` and ${list.length - 12} more`, '.']
  const all = reachable(resultOf(app), app.model.index, v)
  const sink = graphOf(app).children[v]!.length === 0
  const possible = (list: number[]) => (list.length === 0 ? [] : [h('p', { id: 'possible' }, sink ? 'If an edge without a stated direction is the other way round, it may change: ' : 'It may also change, since an edge on the way has no stated direction: ', listed(list))])
  if (typeof control === 'string') return [h('p', { class: 'empty' }, control), ...possible(sink ? all : [])]
  const box = h('div', { id: 'predicted' })
  const show = () => {
    const list = control.predictions()
    replace(box, h('p', {}, control.caption()), table(app, list))
    told(noted(app, list))
  }
  control.element.addEventListener('input', show)
  show()
  const reached = new Set(control.predictions().map((p) => p.v))
  const rest = names.flatMap((_, k) => (k === v || all.includes(k) ? [] : [k]))
  return [
    control.element, box,
    ...possible(control.pairs ? [] : all.filter((k) => !reached.has(k))),
    rest.length > 0 && !control.pairs ? h('p', {}, 'Unchanged in this graph: ', listed(rest)) : h('span'),
    h('p', {}, h('small', {}, basis(app, control))),
    ...pairsOf(app, v, [...reached]),
  ]
}

// noted is what each box of the graph says: before and after.
function noted(app: App, list: Prediction[]): Map<number, string> {
  const facts = new Map(resultOf(app).nodes.map((n) => [n.name, n]))
  const out = new Map<number, string>()
  for (const p of list) {
    const was = facts.get(app.model.page.names[p.v]!)?.mean
    const peak = p.steps?.reduce((m, q) => (Math.abs(q.value) > Math.abs(m.value) ? q : m))
    const top = p.levels && [...p.levels].sort((a, b) => b.value - a.value)[0]
    if (p.mean) out.set(p.v, was === undefined ? num(p.mean.value, 3) : `${num(was, 3)} → ${num(p.mean.value, 3)}`)
    else if (peak) out.set(p.v, `${signed(peak.value, 2)} at step ${peak.step}`)
    else if (top) out.set(p.v, `${short(top.name, 12)} ${percent(top.value)}`)
  }
  return out
}

// reachable lists the variables that an intervention on v changes in some graph with other directions of the edges whose direction is
// not stated.
export function reachable(r: Pick<Result, 'edges' | 'lagged'>, index: Map<string, number>, v: number): number[] {
  const next = new Map<number, number[]>()
  const add = (a: number, b: number) => next.set(a, [...(next.get(a) ?? []), b])
  for (const e of [...r.edges, ...(r.lagged ?? [])]) {
    const [from, to] = [index.get(e.from)!, index.get(e.to)!]
    add(from, to)
    if (e.verdict !== undefined && e.verdict !== 'directed') add(to, from)
  }
  const seen = new Set([v])
  for (const k of seen) for (const j of next.get(k) ?? []) seen.add(j)
  seen.delete(v)
  return [...seen].sort((a, b) => a - b)
}

// refusal says why nothing can be predicted.
function refusal(app: App): string | undefined {
  const r = resultOf(app)
  if (r.kind !== 'dag') return 'Predictions need a DAG: an edge without a direction does not say which variable an intervention changes.'
  const { effects } = app.model.page.results[app.store.now.view.result]!
  if (!effects && app.session?.computing && (r.time || !sloped(r))) return 'The effects are being computed…'
  if (r.time && sloped(r) && !effects) return 'Predictions over time need a DAG.'
  if (!sloped(r) && !effects) return 'Predictions under this model need the table: polydag report --data adds them to this page.'
  if (r.time) return undefined
  if (sloped(r) && r.nodes.length !== app.model.page.names.length) return 'This result has no means and variances, so nothing can be predicted: learn the graph again.'
  return undefined
}

function controls(app: App, v: number): Control | string {
  const r = resultOf(app)
  const { names, results } = app.model.page
  const { effects } = results[app.store.now.view.result]!
  const name = short(names[v]!, 30)
  const own = effects?.list.filter((e) => e.from === v) ?? []
  const none = `In this graph ${name} acts on no other column: setting it changes nothing else.`
  if (r.time) return own.length === 0 ? none : overTime(r, own, names[v]!)
  if (sloped(r)) {
    const s = settings(graphOf(app), r.nodes, r.table.groups?.effective_rows ?? r.rows, v)
    if (s.size > 0) return alongSlopes(r.nodes, s, v)
    return graphOf(app).children[v]!.length === 0 ? none : 'There are too few rows or too many variables for predictions.'
  }
  const told = own.filter((e) => e.do.length > 0)
  if (told.length > 0) return atValues(told, names[v]!, r.nodes.find((n) => n.name === names[v]), effects!.list.length < effects!.pairs ? effects : undefined)
  return graphOf(app).children[v]!.length === 0 ? none : `This page has no predictions for ${name}: polydag report --data adds them.`
}

// slider is a range of numbers with its value beside it.
function slider(word: string, low: number, high: number, start: number, say: (x: number) => string): { element: HTMLElement; value: () => number } {
  const step = (high - low) / slides
  const input = h('input', { type: 'range', id: 'value', min: 0, max: slides, step: 1, value: Math.round((start - low) / step), input: () => tell() })
  const value = () => low + step * Number(input.value)
  const now = h('output', { for: 'value', class: 'n' })
  const tell = () => {
    now.textContent = say(value())
    input.setAttribute('aria-valuetext', say(value()))
  }
  tell()
  return { element: h('div', { class: 'field slide' }, h('label', { for: 'value' }, word), input, now), value }
}

// alongSlopes predicts under a linear model.
function alongSlopes(nodes: Facts[], effects: ReturnType<typeof settings>, v: number): Control {
  const a = nodes[v]!
  const bounded = a.kind === 'binary' || a.kind === 'count' || a.kind === 'ordinal'
  const low = bounded ? Math.max(a.mean - 2 * a.std, Math.min(0, a.mean)) : a.mean - 2 * a.std
  const high = a.kind === 'binary' ? Math.min(a.mean + 2 * a.std, Math.max(1, a.mean)) : a.mean + 2 * a.std
  const s = slider('to', low, high, a.mean, (x) => num(x, 3))
  return {
    element: s.element,
    caption: () => `${short(a.name, 30)} is ${num(a.mean, 3)} on average; it is set to ${num(s.value(), 3)}. The others would be:`,
    predictions: () => [...effects].map(([to, e]) => {
      const [x, m, w] = [s.value(), e.mean(s.value()), e.wide(s.value())]
      return { v: to, mean: { value: m, low: m - w, high: m + w }, rows: [e.mean(x) - 1.645 * e.std, e.mean(x) + 1.645 * e.std] }
    }),
  }
}

// nearest is the index of the value that is closest to the mean, or the middle one.
export function nearest(values: number[], mean: number | undefined): number {
  if (mean === undefined) return Math.floor((values.length - 1) / 2)
  return values.reduce((best, x, k) => (Math.abs(x - mean) < Math.abs(values[best]! - mean) ? k : best), 0)
}

// atValues predicts under other models, at the values that package effect computed. It begins near the mean, or with the first category.
function atValues(list: PairEffect[], name: string, node: Facts | undefined, pairs: Effects | undefined): Control {
  const values = list[0]!.do.map((d) => d.do)
  const numbers = values.length > 2 && values.every((x) => x.trim() !== '' && Number.isFinite(Number(x)))
  const say = (k: number) => (numbers ? num(Number(values[k]), 4) : values[k]!)
  let at = numbers ? nearest(values.map(Number), node?.mean) : 0
  let element: HTMLElement
  if (numbers) {
    const input = h('input', { type: 'range', id: 'value', min: 0, max: values.length - 1, step: 1, value: at, 'aria-valuetext': say(at), input: () => {
      at = Number(input.value)
      input.setAttribute('aria-valuetext', say(at))
      now.textContent = say(at)
    } })
    const now = h('output', { for: 'value', class: 'n' }, say(at))
    element = h('div', { class: 'field slide' }, h('label', { for: 'value' }, 'to'), input, now)
  } else {
    const chips = values.map((x, k) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(k === at), click: () => {
      at = k
      chips.forEach((c, i) => c.setAttribute('aria-pressed', String(i === k)))
      element.dispatchEvent(new Event('input'))
    } }, short(x, 30)))
    element = h('div', { class: 'chips', id: 'value', role: 'group', 'aria-label': `Value of ${short(name, 30)}` }, chips)
  }
  const rows = (d: Distribution): [number, number] | undefined => {
    const [low, high] = [0.05, 0.95].map((p) => d.quantiles?.find((q) => q.p === p)?.value)
    return low === undefined || high === undefined ? undefined : [low, high]
  }
  return {
    element,
    caption: () => `If ${short(name, 30)} is set to ${short(say(at), 30)}, the others would be:`,
    predictions: () => list.flatMap((e): Prediction[] => {
      const d = e.do.find((x) => x.do === values[at])
      if (!d) return []
      const nine = rows(d)
      return [{ v: e.to, ...(d.levels ? { levels: d.levels } : { mean: d.mean!, ...(nine && { rows: nine }) }) }]
    }),
    ...(pairs && { pairs }),
  }
}

// overTime predicts how the others change over the next steps, under a model with lags: in proportion under a linear one, and for the
// change that package effect computed under others.
function overTime(r: Result, list: PairEffect[], name: string): Control {
  if (!list[0]!.contrast.unit) return {
    element: h('div', {}),
    caption: () => `${changed(list[0]!, name)} for one time step, the others would change by:`,
    predictions: () => list.flatMap((e) => byOutcome(e.impulse!).map((steps) => ({ v: e.to, steps, ...(steps[0]!.outcome !== undefined && { outcome: steps[0]!.outcome }) }))),
  }
  const std = r.nodes.find((n) => n.name === name)?.std || 1
  const s = slider('by', -2 * std, 2 * std, std, (x) => signed(x, 3))
  const times = (q: Quantity): Quantity => {
    const x = s.value()
    const ends = q.low === undefined ? [] : [q.low * x, q.high! * x].sort((a, b) => a - b)
    return { value: q.value * x, ...(ends.length > 0 && { low: ends[0]!, high: ends[1]! }) }
  }
  return {
    element: s.element,
    caption: () => `If ${short(name, 30)} is changed by ${signed(s.value(), 3)} for one time step, the others would change by:`,
    predictions: () => list.map((e) => ({ v: e.to, steps: e.impulse!.map((q) => ({ step: q.step, ...times(q) })) })),
  }
}

const interval = (q: Quantity, say: (x: number) => string) => q.low !== undefined && h('small', {}, `${say(q.low)} to ${say(q.high!)}`)

// table has a row for each variable: numbers first, by their change in units of their spread, then categories.
function table(app: App, list: Prediction[]): HTMLElement {
  const facts = new Map(resultOf(app).nodes.map((n) => [n.name, n]))
  const node = (p: Prediction) => facts.get(app.model.page.names[p.v]!)
  const far = (p: Prediction) => (p.steps ? Math.max(...p.steps.map((q) => Math.abs(q.value))) : p.mean ? Math.abs(p.mean.value - (node(p)?.mean ?? 0)) : -1) / (node(p)?.std || 1)
  const sorted = [...list].sort((a, b) => far(b) - far(a) || a.v - b.v)
  const line = (p: Prediction) => h('tr', {}, h('th', { scope: 'row' }, variable(app, p.v, 20), p.outcome !== undefined && h('small', {}, ` = ${short(p.outcome, 20)}`)), ...(p.steps ? courses(p.steps) : p.levels ? [h('td', {}, shares(p.levels, sharesBefore(resultOf(app), app.model.page.names[p.v]!, p.levels.map((l) => l.name))))] : numbers(p, node(p))))
  const heads = list.some((p) => p.steps) ? ['largest change', 'over time'] : list.some((p) => p.mean) ? ['mean', 'distribution'] : ['probability']
  const columns = heads.length + 1
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Predictions' },
    h('table', { class: 'whatif' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'variable'), heads.map((t) => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, sorted.map((p) => {
        const row = line(p)
        if (row.children.length < columns) row.lastElementChild!.setAttribute('colspan', String(columns - 1))
        return row
      }))))
}

// numbers has the mean with its interval and its change from the mean of the rows, and a picture of both and of the spread.
function numbers(p: Prediction, node: Facts | undefined): HTMLElement[] {
  const now = p.mean!.value
  const cell = h('td', { class: 'n' }, h('strong', {}, num(now)), interval(p.mean!, (x) => num(x, 3)))
  if (!node) return [cell, h('td', {}, p.rows ? `${num(p.rows[0], 3)} to ${num(p.rows[1], 3)}` : '')]
  cell.append(h('small', {}, `table: ${num(node.mean, 3)} (${signed(now - node.mean, 2)})`))
  const ends = [node.mean - 3 * node.std, node.mean + 3 * node.std, ...(p.rows ?? []), p.mean!.low ?? now, p.mean!.high ?? now]
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const x = (v: number) => (2 + (96 * (v - low)) / (high - low || 1)).toFixed(1)
  return [cell, h('td', {}, svg('svg', { class: 'spread', viewBox: '0 0 100 26', role: 'img', 'aria-label': `mean ${num(now)}, before ${num(node.mean)}${p.rows ? `, nine of ten rows ${num(p.rows[0], 3)} to ${num(p.rows[1], 3)}` : ''}` },
    p.rows && svg('rect', { class: 'rows', x: x(p.rows[0]), y: 8, width: Math.max(Number(x(p.rows[1])) - Number(x(p.rows[0])), 1), height: 10, rx: 3 }),
    svg('line', { class: 'before', x1: x(node.mean), x2: x(node.mean), y1: 3, y2: 23 }),
    p.mean!.low !== undefined && svg('line', { class: 'sure', x1: x(p.mean!.low), x2: x(p.mean!.high!), y1: 13, y2: 13 }),
    svg('circle', { class: 'dot', cx: x(now), cy: 13, r: 4 }),
    p.rows && svg('title', {}, `nine of ten rows: ${num(p.rows[0], 3)} to ${num(p.rows[1], 3)}`)))]
}

const mostLevels = 6

// sharesBefore has the share of each category in the table, if an edge has the counts of the column or the column has two categories.
export function sharesBefore(r: Pick<Result, 'edges' | 'nodes'>, name: string, levels: string[]): number[] | undefined {
  const same = (list: string[] | undefined) => list?.length === levels.length && list.every((l, k) => l === levels[k])
  const shares = (counts: number[]) => counts.map((n) => n / counts.reduce((a, b) => a + b, 0))
  for (const { from, to, effect: f } of r.edges) {
    if (to === name && f?.counts && same(f.to_levels)) return shares(levels.map((_, j) => f.counts!.reduce((sum, row) => sum + row[j]!, 0)))
    if (from === name && f?.rows && !f.x && same(f.from_levels)) return shares(f.rows)
  }
  const node = r.nodes.find((n) => n.name === name)
  return node?.kind === 'binary' && levels.length === 2 ? [1 - node.mean, node.mean] : undefined
}

function shares(levels: NonNullable<Prediction['levels']>, before: number[] | undefined): HTMLElement {
  const shown = [...levels].sort((a, b) => b.value - a.value).slice(0, mostLevels)
  return h('table', { class: 'shares inner' }, h('tbody', {}, levels.filter((l) => shown.includes(l)).map((l) => {
    const cell = barred(l.value, percent(l.value))
    if (l.low !== undefined) cell.append(h('small', {}, `${(100 * l.low).toFixed(1)}–${(100 * l.high!).toFixed(1)}`))
    if (before) cell.append(h('small', {}, `table: ${percent(before[levels.indexOf(l)]!)}`))
    return h('tr', {}, h('td', {}, bdi(l.name, 18)), cell)
  })), levels.length > shown.length && h('tfoot', {}, h('tr', {}, h('td', { colspan: 2 }, `and ${plural(levels.length - shown.length, 'rarer category', 'rarer categories')}`))))
}

// courses has the largest change with its step and interval, and a small line with a band.
function courses(list: NonNullable<Prediction['steps']>): HTMLElement[] {
  const peak = list.reduce((m, q) => (Math.abs(q.value) > Math.abs(m.value) ? q : m))
  const all = list.flatMap((q) => [q.value, q.low ?? q.value, q.high ?? q.value])
  const p = plane(0, list.length - 1, Math.min(0, ...all), Math.max(0, ...all), '', 100)
  const at = (q: (typeof list)[number], y: number) => `${p.x(q.step).toFixed(1)} ${p.y(y).toFixed(1)}`
  return [
    h('td', { class: 'n' }, h('strong', {}, signed(peak.value)), interval(peak, (x) => num(x, 3)), h('small', {}, `at step ${peak.step}`)),
    h('td', {}, svg('svg', { class: 'course', viewBox: `${p.left - 4} ${p.top - 6} ${p.W - p.left} ${p.H - p.bottom - p.top + 12}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${num(list[0]!.value, 3)} at step 0, ${num(peak.value, 3)} at step ${peak.step}, ${num(list.at(-1)!.value, 3)} at step ${list.length - 1}` },
      list[0]!.low !== undefined && svg('path', { class: 'band', d: `M${list.map((q) => at(q, q.low!)).join('L')}L${[...list].reverse().map((q) => at(q, q.high!)).join('L')}Z` }),
      svg('line', { class: 'before', x1: p.left, x2: p.W - p.right, y1: p.y(0), y2: p.y(0) }),
      svg('path', { class: 'curve', d: `M${list.map((q) => at(q, q.value)).join('L')}` }))),
  ]
}

// basis says what the predictions rest on.
function basis(app: App, control: Control): string {
  const r = resultOf(app)
  const some = control.pairs ? `This page has the effects of ${control.pairs.list.length} of ${control.pairs.pairs} pairs, those nearest to each other; polydag report --data adds more. ` : ''
  const open = r.edges.some(reversible) ? ' Edges whose direction is not stated are used with the direction of the learned graph.' : ''
  const sure = control.predictions().some((p) => p.mean?.low !== undefined || p.levels?.some((l) => l.low !== undefined) || p.steps?.some((q) => q.low !== undefined))
  const compared = control.predictions().some((p) => p.mean || p.levels) ? 'Table: the mean or share of the rows as they are. ' : ''
  const drawn = control.predictions().some((p) => p.rows) ? 'Dot: mean; bar: nine of ten rows; dashed line: mean of the table. ' : ''
  return `${some}${compared}${drawn}${sure ? 'Ranges are 90 % intervals, given the graph.' : app.session ? 'Intervals would take longer here: polydag report computes them.' : 'Intervals would take longer here: polydag report --data computes them.'}${open} This assumes that the graph is true and that there are no hidden confounders (untestable).`
}
