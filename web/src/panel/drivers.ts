import { graphOf, resultOf, variable, type App } from '../app'
import { basisOf, sure } from '../certainty'
import type { PairEffect, Result } from '../data'
import { bdi, capital, h, num, plural, replace, short, signed, svg } from '../dom'
import { setting } from '../effect'
import { size, sloped } from '../gain'
import { verb } from './answer'
import { edgeList } from './explore'
import type { Amount, Driver, Drivers } from '../program/backend'

interface Row {
  v: number
  basis: string
  step: string // of a category: yes instead of no
  amount: Amount // raw, for one standard deviation of the driver or between two values
  open: boolean // not stated, since a direction on the way is not identified
  unit: string
  by?: Driver['by']
}

let asking: AbortController | undefined

// leave ends what is being computed for a panel that is no longer there.
export function leave(): void {
  asking?.abort()
}

const cache = new WeakMap<object, Map<string, Promise<Drivers>>>()

// drivers ranks the columns by their effect on one. The page has effects given the graph; the program adds intervals over graphs.
export function drivers(app: App, v: number): Node[] {
  const { names } = app.model.page
  const r = resultOf(app)
  const name = names[v]!
  const box = h('div', {})
  const learned = app.session?.learned
  const own = learned ? (cache.get(learned) ?? cache.set(learned, new Map()).get(learned)!) : undefined
  let by = ''
  const ask = async () => {
    if (!learned?.drivers || !own || r.time) return show()
    const key = `${name}\n${by}`
    const now = () => box.isConnected && key === `${name}\n${by}`
    if (!own.has(key)) {
      leave()
      const { signal } = (asking = new AbortController())
      const asked = learned.drivers(name, by, false, signal).then((d) => {
        if (now()) show('Intervals are being computed…', d)
        return learned.drivers!(name, by, true, signal)
      })
      own.set(key, asked)
      asked.catch(() => own.delete(key))
      show('The effects are being computed…')
    }
    try {
      const found = await own.get(key)!
      if (now()) show('', found)
    } catch (e) {
      if (now()) show((e as Error).message)
    }
  }
  const causes = [...r.edges, ...(r.lagged ?? [])].filter((e) => e.to === name && e.from !== name).sort((a, b) => size(b) - size(a))
  const show = (note = '', found?: Drivers) => {
    const all = found ? fromProgram(app, found) : fromPage(app, v)
    const rows = r.time ? [] : all.filter((x) => Math.abs(x.amount.value) > 1e-12)
    const std = r.nodes.find((n) => n.name === name)?.std || 1
    const raw = app.store.now.raw
    const category = rows.some((x) => x.unit === 'pp')
    const scale = category ? 100 : raw ? 1 : 1 / std
    const settled = rows.filter((x) => !x.open)
    const [first, second] = settled.length > 0 ? settled : rows
    const lowers = (x: Row) => x.amount.value < 0
    const who = (x: Row) => [variable(app, x.v, 28), x.step !== '' ? ` (${x.step})` : '']
    const outcome = category && found?.drivers?.[0]?.outcome && found.drivers[0].outcome !== 'mean' ? ` = ${short(found.drivers[0].outcome, 18)}` : ''
    const none = found ? all.filter((x) => !rows.includes(x)).map((x) => names[x.v]!) .concat(found.no_effect ?? []) : []
    replace(box,
      h('p', { class: 'say' }, first
        ? [settled.length === 0 ? 'No direction into it is settled. If those of the graph are right, ' : '', who(first), second && lowers(second) === lowers(first) ? [' and ', who(second), ` ${lowers(first) ? 'lower' : 'raise'} `] : lowers(first) ? ' lowers ' : ' raises ', category ? 'the chance of ' : '', bdi(name, 28), outcome, ' most', second && lowers(second) !== lowers(first) ? ['; ', who(second), lowers(second) ? ' lowers it' : ' raises it'] : '', '.']
        : causes.length > 0 ? r.time && sure(causes[0]!) ? [bdi(causes[0]!.from, 28), verb(causes[0]!), bdi(name, 28), causes[0]!.lag ? ` ${plural(causes[0]!.lag, 'step')} later` : '', ' most.'] : [bdi(name, 28), ' has ', plural(causes.length, 'possible cause'), ' in this graph.'] : ['In this graph nothing acts on ', bdi(name, 28), '.']),
      h('div', { class: 'caveat' }, found ? sentenceCase(found.caveat) : 'Given this graph, and assuming no unmeasured common cause.'),
      rows.length > 0 && h('p', { class: 'dim' }, category ? 'Change of the probability in percentage points' : raw ? `Change of ${short(name, 24)} in its units` : `Change of ${short(name, 24)} in standard deviations`, ', for one standard deviation more of a number, or from one category to the other.'),
      rows.length > 0 ? bars(app, rows, scale) : edgeList(app, causes),
      note !== '' && h('p', { class: 'dim', role: 'status' }, note),
      none.length > 0 ? h('details', {}, h('summary', {}, `${plural(none.length, 'column')} without a clear effect`), h('p', { class: 'dim' }, none.map((n, k) => [k > 0 && ', ', bdi(n, 28)]))) : null,
      by !== '' && found ? subgroups(app, rows, by, scale) : null,
      (found?.notes ?? []).map((t) => h('p', { class: 'dim' }, sentenceCase(t))))
  }
  const whom = h('div', { class: 'chips' })
  const candidates = app.session && learned?.drivers && !r.time ? r.nodes.filter((n) => n.name !== name && (n.kind === 'binary' || n.kind === 'categorical' || n.kind === 'continuous' || n.kind === 'count') && !graphOf(app).descendants(v)[app.model.index.get(n.name)!]).sort((a, b) => Number(a.kind === 'continuous' || a.kind === 'count') - Number(b.kind === 'continuous' || b.kind === 'count')).slice(0, 6) : []
  const chips = () => replace(whom, candidates.map((n) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(by === n.name), click: () => {
    by = by === n.name ? '' : n.name
    chips()
    void ask()
  } }, short(n.name, 22))))
  chips()
  queueMicrotask(() => void ask())
  show()
  return [
    h('div', { class: 'pair-head' }, h('h2', { class: 'title' }, 'What drives ', bdi(name, 28), '?'), units(app)),
    box,
    ...(candidates.length > 0 ? [h('section', {}, h('h3', {}, 'For whom'), h('p', { class: 'dim' }, 'Compare the effects between groups of'), whom)] : []),
  ]
}

// units is the switch between standardized and raw numbers.
export function units(app: App): HTMLElement {
  const one = (raw: boolean, text: string, title: string) => h('button', { type: 'button', 'aria-pressed': String(app.store.now.raw === raw), title, click: () => app.store.set({ raw }) }, text)
  return h('div', { class: 'seg', role: 'group', 'aria-label': 'Units' }, one(false, 'sd', 'Standard deviations'), one(true, 'units', 'Units of the column'))
}

const sentenceCase = (t: string) => `${capital(t)}${/[.!?]$/.test(t) ? '' : '.'}`

const bases: Record<string, string> = { direct: 'direct', adjusted: 'adjusted', undirected: 'a direction on the way is not identified' }

function fromProgram(app: App, d: Drivers): Row[] {
  const r = resultOf(app)
  return (d.drivers ?? []).flatMap((x): Row[] => {
    const v = app.model.index.get(x.name)
    const amount = x.total ?? (x.low !== undefined && x.high !== undefined ? { value: (x.low + x.high) / 2, low: x.low, high: x.high } : undefined)
    if (v === undefined || !amount) return []
    const how = x.through?.length ? `through ${x.through.slice(0, 2).map((t) => short(t, 18)).join(', ')}${x.through.length > 2 ? ` and ${x.through.length - 2} more` : ''}` : x.basis === 'undirected' ? '' : 'direct'
    const rests = x.by_names ? 'directions from names' : x.basis === 'undirected' ? bases.undirected! : ''
    return [{ v, basis: [how, rests, x.changeable === 'no' ? 'cannot be changed' : ''].filter((t) => t !== '').join(' · '), amount, step: stepped(r, x.name, x.contrast), open: !x.settled, unit: x.outcome === 'mean' ? '' : 'pp', ...(x.by && { by: x.by }) }]
  })
}

// fromPage ranks by what the page has: effects given the graph.
function fromPage(app: App, v: number): Row[] {
  const r = resultOf(app)
  const g = graphOf(app)
  if (!g.acyclic) return []
  const rows: Row[] = []
  const before = g.ancestors(v)
  const { effects } = app.model.page.results[app.store.now.view.result]!
  const basis = (u: number) => {
    const e = g.edge(u, v)
    return [e ? 'direct' : 'through others', e && sure(e) ? basisOf(e) : e ? 'direction open' : ''].filter((t) => t !== '').join(' · ')
  }
  before.forEach((yes, u) => {
    if (!yes || u === v) return
    const found = effects?.list.find((e) => e.from === u && e.to === v)
    const first = found?.effects[0]
    const e = g.edge(u, v)
    const open = e !== undefined && !sure(e)
    if (first && !found.impulse?.length) rows.push({ v: u, basis: basis(u), amount: perDeviation(first.total, found, r.nodes.find((n) => n.name === g.names[u])), step: stepped(r, g.names[u]!, found.contrast), open, unit: first.outcome === 'mean' ? '' : 'pp' })
    else if (sloped(r) && r.nodes.length === g.names.length) {
      const s = setting(g, r.nodes, r.rows, u, v, [])
      const sd = r.nodes[u]!.std
      if (s) rows.push({ v: u, basis: basis(u), amount: { value: ((s.low + s.high) / 2) * sd, low: s.low * sd, high: s.high * sd }, step: '', open, unit: '' })
    }
  })
  return rows.sort((a, b) => Number(a.open) - Number(b.open) || Math.abs(b.amount.value) - Math.abs(a.amount.value))
}

// perDeviation is the mean slope between the two values of a contrast, for one standard deviation.
function perDeviation(q: Amount, e: PairEffect, node: { std: number; kind?: string } | undefined): Amount {
  const wide = Number(e.contrast.end) - Number(e.contrast.start)
  const k = node && node.kind !== 'binary' && node.kind !== 'categorical' && Number.isFinite(wide) && wide !== 0 ? node.std / Math.abs(wide) : 1
  return { value: q.value * k, ...(q.low !== undefined && { low: q.low * k, high: q.high! * k }) }
}

// stepped says between which categories of a column its effect is.
function stepped(r: Result, name: string, c: { start: string; end: string }): string {
  const kind = r.nodes.find((n) => n.name === name)?.kind
  return kind === 'categorical' || kind === 'binary' || Number.isNaN(Number(c.end)) ? `${short(c.end, 16)} instead of ${short(c.start, 16)}` : ''
}

// bars is the ranking: a dot with its interval around zero, and the number.
function bars(app: App, rows: Row[], scale: number): HTMLElement | null {
  if (rows.length === 0) return null
  const ends = rows.flatMap((x) => [x.amount.value, x.amount.low ?? x.amount.value, x.amount.high ?? x.amount.value, 0]).map((t) => t * scale)
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const x = (t: number) => (6 + (108 * (t * scale - low)) / (high - low || 1)).toFixed(1)
  const shown = (t: number) => signed(t * scale, 2)
  return h('table', { class: 'bars' }, h('caption', { class: 'unseen' }, 'Columns by their effect'), h('tbody', {}, rows.slice(0, 14).map(({ v, basis, step, amount: a, open }) =>
    h('tr', { class: open ? 'open' : '' },
      h('th', { scope: 'row' }, variable(app, v, 24), step !== '' && h('small', {}, step), h('small', {}, basis)),
      h('td', {}, svg('svg', { viewBox: '0 0 120 18', class: `interval ${a.value < 0 ? 'minus' : 'plus'}`, role: 'img', 'aria-label': a.low === undefined ? shown(a.value) : `${shown(a.value)}, 90 % interval ${shown(a.low)} to ${shown(a.high!)}` },
        svg('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: 18 }),
        a.low !== undefined && svg('line', { class: 'range', x1: x(a.low), x2: x(a.high!), y1: 9, y2: 9 }),
        svg('circle', { cx: x(a.value), cy: 9, r: 5 }))),
      h('td', { class: 'n', title: a.low === undefined ? '' : `90 %: ${shown(a.low)} to ${shown(a.high!)}` }, open ? `(${num(a.value * scale, 2)})` : num(a.value * scale, 2))))))
}

// subgroups has the effect in each group.
function subgroups(app: App, rows: Row[], by: string, scale: number): HTMLElement {
  const list = rows.filter((x) => x.by?.some((b) => b.by === by))
  if (list.length === 0) return h('p', { class: 'dim' }, `No effect can be compared between groups of ${short(by, 24)} in this graph.`)
  return h('div', { class: 'whom' }, list.map((x) => {
    const b = x.by!.find((y) => y.by === by)!
    return h('div', {}, h('h4', {}, bdi(app.model.page.names[x.v]!, 28), b.differs ? h('b', {}, ' differs') : h('small', {}, ' no clear difference')),
      h('table', {}, h('tbody', {}, b.groups.map((g) => h('tr', {}, h('td', {}, `${short(by, 14)} ${short(g.value, 16)}`), h('td', { class: 'n' }, signed(g.effect.value * scale, 2)), h('td', { class: 'n dim' }, g.effect.low === undefined ? '' : `${num(g.effect.low * scale, 2)} to ${num(g.effect.high! * scale, 2)}`), h('td', { class: 'n dim' }, plural(g.rows, 'row')))))))
  }))
}
