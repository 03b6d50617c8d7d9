import { graphOf, resultOf, type App } from '../app'
import { basisOf, probability, sure } from '../certainty'
import type { Edge } from '../data'
import { bdi, h, num, short, signed } from '../dom'
import { setting } from '../effect'
import { signClass, sloped } from '../gain'
import { icon } from '../icons'
import type { Query } from '../paths'
import { restsOn } from '../terms'
import { verb } from './answer'
import { pairDetails } from './explore'

// pair is what the panel says about two columns: the caveat, the relation in a sentence, and the effect with its interval.
export function pair(app: App, q: Query | undefined): Node[] {
  const [a, b] = app.store.now.picked as [number, number]
  const { names } = app.model.page
  const g = graphOf(app)
  const edge = g.edge(a, b) ?? g.edge(b, a) ?? g.lines.find((l) => (l.from === a && l.to === b) || (l.from === b && l.to === a))?.edges[0]
  const head = h('div', { class: 'pair-head' }, h('h2', { class: 'title' }, bdi(names[a]!, 30), h('span', { class: 'dim' }, ' and '), bdi(names[b]!, 30)),
    h('button', { type: 'button', class: 'icon', 'aria-label': 'Swap the two', title: 'Swap the two', click: () => app.store.set({ picked: [b, a], path: undefined }) }, icon('swap')))
  if (!q) return [head, h('p', {}, 'The directed edges of this graph have a cycle, so the paths between two columns have no effects.')]
  const cautions = [...(edge ? caveats(edge, names[app.model.index.get(edge.from)!]!) : []), 'Assumes no unmeasured common cause of the two.']
  return [
    head,
    h('div', { class: 'caveat' }, cautions.join(' ')),
    h('p', { class: 'say' }, ...relation(app, q, edge)),
    ...statements(app, edge),
    h('details', { class: 'more', open: true }, h('summary', {}, 'Evidence, effect and paths'), ...pairDetails(app, q)),
  ]
}

// caveats are what to know before the number.
function caveats(e: Edge, from: string): string[] {
  const out: string[] = []
  if (e.verdict === 'weak') out.push(`The link itself is uncertain: its probability is ${probability(e.p_adjacent)}.`)
  else if (e.verdict === 'undirected') out.push(`The direction is not identified: the probability that ${short(from, 24)} is the cause is ${probability(e.p_direction)}.`)
  else if (e.verdict === 'directed' && e.basis && basisOf(e) !== 'you') out.push(`The direction rests on ${restsOn[e.basis]} (probability ${probability(e.p_direction)}).`)
  if (e.hidden_cause === 'implied') out.push('Tests prefer a hidden common cause to this edge.')
  else if (e.hidden_cause === 'possible') out.push('A hidden common cause would fit as well.')
  return out
}

// relation is what the graph says of the two in words.
function relation(app: App, q: Query, edge: Edge | undefined): (Node | string)[] {
  const { names, results } = app.model.page
  const r = resultOf(app)
  const [a, b] = [bdi(names[q.from]!, 28), bdi(names[q.to]!, 28)]
  if (q.relation === 'descendant') return [a, ' does not act on ', b, '; it is the other way round: ', bdi(names[q.to]!, 28), ' is a cause of ', bdi(names[q.from]!, 28), '.']
  if (q.relation === 'unrelated') {
    if (edge?.lag) return [bdi(edge.from, 28), verb(edge), bdi(edge.to, 28), ` ${edge.lag} ${edge.lag === 1 ? 'step' : 'steps'} later.`]
    if (edge) return [a, ' and ', b, ' are linked, and the graph does not say which acts on which.']
    if (q.confounders.length > 0) return ['Neither acts on the other. They go together because of ', bdi(names[q.confounders[0]!]!, 28), q.confounders.length > 1 ? ` and ${q.confounders.length - 1} more common ${q.confounders.length === 2 ? 'cause' : 'causes'}.` : '.']
    return ['Neither acts on the other, and they have no common cause in this graph.']
  }
  const how = edge && !sure(edge) ? ' If this direction is right, ' : ''
  if (sloped(r)) {
    const s = setting(app.model.graphs[app.store.now.view.result]!, r.nodes, r.table.groups?.effective_rows ?? r.rows, q.from, q.to, q.mediators)
    const [sa, sb] = [r.nodes[q.from]?.std ?? 1, r.nodes[q.to]?.std ?? 1]
    const raw = app.store.now.raw
    const scale = raw ? 1 : sa / (sb || 1)
    const value = q.total * scale
    const unit = raw ? '' : ' standard deviations'
    return [how, raw ? 'One unit more of ' : 'One standard deviation more of ', a, value < 0 ? ' lowers ' : ' raises ', b, ' by ', h('b', { class: value < 0 ? 'minus' : 'plus' }, num(Math.abs(value), 3)), unit,
      s ? h('small', {}, ` (90 %: ${num(s.low * scale, 3)} to ${num(s.high * scale, 3)})`) : '', q.mediators.length > 0 ? [', partly through ', bdi(names[q.mediators[0]!]!, 24), q.mediators.length > 1 ? ` and ${q.mediators.length - 1} more` : ''].flat() : '', '.'].flat() as (Node | string)[]
  }
  const found = results[app.store.now.view.result]!.effects?.list.find((e) => e.from === q.from && e.to === q.to)
  const first = found?.effects[0]
  if (found && first && !found.impulse?.length) {
    const mean = first.outcome === 'mean'
    const say = (v: number) => (mean ? signed(v, 3) : `${signed(100 * v, 3)} percentage points`)
    const value = (t: string) => (Number.isFinite(Number(t)) && t.trim() !== '' ? num(Number(t), 3) : short(t, 20))
    return [how, a, ` at ${value(found.contrast.end)} instead of ${value(found.contrast.start)} changes `, mean ? '' : `the probability of ${short(first.outcome, 20)} in `, b, ' by ', h('b', { class: first.total.value < 0 ? 'minus' : 'plus' }, say(first.total.value)),
      first.total.low !== undefined ? h('small', {}, ` (90 %: ${say(first.total.low)} to ${say(first.total.high!)})`) : '', '.'].filter((x) => x !== '')
  }
  return edge ? [how, a, h('span', { class: signClass(edge) }, verb(edge)), b, '.'] : [a, ' acts on ', b, ' through ', bdi(names[q.mediators[0] ?? q.to]!, 28), '.']
}

// statements are what the reader can say about the two.
function statements(app: App, edge: Edge | undefined): Node[] {
  const { session } = app
  if (!session) return []
  const { names } = app.model.page
  const [a, b] = app.store.now.picked.map((v) => names[v]!) as [string, string]
  const k = session.knowledge
  const has = (list: { from: string; to: string }[], from: string, to: string) => list.some((e) => e.from === from && e.to === to)
  const chip = (text: (Node | string)[], on: boolean, from: string, to: string, what: 'causes' | 'cannot') =>
    h('button', { type: 'button', class: 'chip', 'aria-pressed': String(on), click: () => session.change(`${short(from)} ${what === 'causes' ? 'causes' : 'cannot cause'} ${short(to)}`, () => session.knowledge.state(from, to, on ? 'unknown' : what)) }, text)
  return [h('section', { class: 'tell' }, h('h3', {}, 'What you know'),
    h('div', { class: 'chips' },
      chip([short(a, 18), ' causes ', short(b, 18)], has(k.require, a, b), a, b, 'causes'), chip([short(b, 18), ' causes ', short(a, 18)], has(k.require, b, a), b, a, 'causes'),
      chip([short(a, 18), ' cannot cause ', short(b, 18)], has(k.forbid, a, b), a, b, 'cannot'), chip([short(b, 18), ' cannot cause ', short(a, 18)], has(k.forbid, b, a), b, a, 'cannot')),
    edge?.basis === 'knowledge' ? h('p', { class: 'dim' }, 'The direction on the canvas is what you said.') : h('span'))]
}
