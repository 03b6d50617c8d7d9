import { graphOf, type App } from '../app'
import { bdi, h, num, short } from '../dom'
import { backDoorSet } from '../paths'
import { fewPairs, gallery, type Match, type Pictures } from './pictures'

// findMatch returns the pairs for an effect of a result with an adjustment set.
export function findMatch(matches: Match[], result: number, cause: string, set: string[]): Match | undefined {
  return matches.find((m) => m.result === result && m.cause === cause && m.set.length === set.length && set.every((name) => m.set.includes(name)))
}

// matchedPairs shows pairs of pictures that differ in the cause and agree on the adjustment set of its effect on an outcome.
export function matchedPairs(app: App, from: number, to: number): Node[] {
  const p = app.model.page.pictures
  const g = graphOf(app)
  if (!p || !g.acyclic || g.lines.length > 0 || !g.descendants(from)[to]) return []
  const { names } = app.model.page
  const [cause, outcome] = [names[from]!, names[to]!]
  const set = (backDoorSet(g, from, to) ?? []).map((v) => names[v]!)
  const match = findMatch(p.matches, app.store.now.view.result, cause, set)
  if (!match) return p.omitted ? [h('h3', {}, 'Matched pairs'), h('p', {}, `This page has no matched pairs for this effect. It has those of the nearest pairs of variables, without ${p.omitted} others.`)] : []
  const box = gallery(p)
  const rows = match.pairs.map((pair, i) => {
    const values = (side: 0 | 1): [string, string][] => [cause, ...match.set].map((name, k) => [name, said(pair.values[side][k]!)])
    const at = 1 + match.set.length + match.outcomes.indexOf(outcome)
    const own = (side: 0 | 1) => h('td', {}, box.thumb(pair.pictures[side], [...values(side), [outcome, said(pair.values[side][at] ?? '')]], i === 0 && side === 0),
      h('small', {}, bdi(cause, 18), ': ', h('strong', {}, bdi(said(pair.values[side][0]!), 14))),
      h('small', {}, bdi(outcome, 18), ': ', bdi(said(pair.values[side][at] ?? ''), 14)))
    const shared = match.set.map((name, k) => ({ name, both: [said(pair.values[0][k + 1]!), said(pair.values[1][k + 1]!)] as const })).filter(({ name }) => !match.unread?.includes(name))
    const line = ({ name, both }: (typeof shared)[number]) => h('small', {}, bdi(name, 18), ': ', bdi(both[0], 14), both[0] !== both[1] && [' and ', bdi(both[1], 14)])
    const differs = (name: string) => pair.differ?.includes(name) ?? false
    const same = shared.filter((s) => !differs(s.name))
    const other = shared.filter((s) => differs(s.name))
    return box.later(h('tr', {}, own(0), own(1), match.set.length > 0 && h('td', {},
      same.length > 0 && ['agree on', same.map(line)], other.length > 0 && [h('span', { class: 'differ' }, 'differ in'), other.map(line)])), i >= fewPairs)
  })
  const table = rows.length === 0 ? h('p', { class: 'note' }, none(p, match)) : box.roving(h('table', { class: 'pictures pairs' }, h('tbody', {}, rows)))
  return box.section(`Matched pairs for the effect of ${short(cause, 20)} on ${short(outcome, 20)}`, order(match), h('div', {}, h('p', {}, ...lead(match)), table))
}

const said = (value: string) => (value === '' ? 'missing' : value)

// list names columns.
const list = (columns: string[]): (Node | string)[] => columns.flatMap((name, k) => [k === 0 ? '' : k === columns.length - 1 ? ' and ' : ', ', bdi(name, 26)])

// lead says on which columns the pairs agree.
function lead(m: Match): (Node | string)[] {
  const read = m.set.filter((name) => !m.unread?.includes(name))
  const least = Math.min(...m.pairs.map((pair) => pair.differ?.length ?? 0))
  const unread = m.unread ? [' Not compared, because the table does not have them: ', ...list(m.unread), '.'] : []
  if (m.pairs.length === 0) return ['The adjustment set is ', ...(m.set.length > 0 ? list(m.set) : ['empty']), '.', ...unread]
  if (read.length === 0) return [m.set.length === 0 ? 'There is nothing to adjust for, so any two pictures that differ in ' : 'Pictures that differ in ', bdi(m.cause, 26), m.set.length === 0 ? ' can be compared.' : '.', ...unread]
  if (least > 0) return ['No two of the pictures that differ in ', bdi(m.cause, 26), ' agree on the whole adjustment set: ', ...list(read), '. These pairs agree on as many of its columns as possible.', ...unread]
  return ['The two pictures differ in ', bdi(m.cause, 26), ' and agree on the adjustment set: ', ...list(read), '.', ...unread]
}

// none says why there are no pairs.
function none(p: Pictures, m: Match): string {
  if (m.rows === 0) return `No pair of pictures differs in ${short(m.cause, 30)}: the column has too few or too many values.`
  return p.full ? 'The limit on the size of all pictures (--set picture-budget) left no room for pairs.' : `No pair of pictures differs in ${short(m.cause, 30)}.`
}

// order says which pairs come first.
function order(m: Match): string {
  const near = m.near && m.near.length > 0 ? ` Numbers agree if they differ by at most 0.2 standard deviations (${m.near.map((name) => short(name, 20)).join(', ')}).` : ''
  const some = m.compared < m.rows ? ` ${num(m.compared, 6)} of ${num(m.rows, 6)} rows were compared, those first that agree with another row on the adjustment set.` : ''
  return `The nearest pairs come first, by the adjustment set and then by the other columns that ${short(m.cause, 20)} does not affect. No picture is in two pairs.${near}${some}`
}

// pairsOf lets the reader choose an outcome of a variable that is set.
export function pairsOf(app: App, from: number, outcomes: number[]): Node[] {
  const { names, pictures } = app.model.page
  if (!pictures || outcomes.length === 0) return []
  const box = h('div', {})
  const show = () => box.replaceChildren(...matchedPairs(app, from, Number(select.value)))
  const select = h('select', { id: 'pairs-of', change: show }, outcomes.map((v) => h('option', { value: v }, short(names[v]!, 60))))
  show()
  return [h('div', { class: 'field' }, h('label', { for: 'pairs-of' }, 'Outcome'), select), box]
}
