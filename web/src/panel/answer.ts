import { graphOf, resultOf, variable, type App } from '../app'
import { basisOf, denied, sure } from '../certainty'
import { all, type Edge } from '../data'
import { h, plural, signed } from '../dom'
import { sign, signClass, size } from '../gain'
import { suggestions } from '../program/suggest'
import { budget, environments } from './bounds'
import { edgeList } from './explore'
import { groupList } from './groups'
import { caution } from './reading'

// verb is what one column does to the other by an edge.
export const verb = (e: Edge): string => (sign(e) > 0 ? ' raises ' : sign(e) < 0 ? ' lowers ' : ' changes ')

// answer is what the panel says while nothing is selected: the result in sentences, what it rests on, and its strongest edges.
export function answer(app: App): Node[] {
  const r = resultOf(app)
  const index = (name: string) => app.model.index.get(name)!
  const edges = all(r)
  const between = edges.filter((e) => e.from !== e.to)
  const strong = between.filter((e) => e.verdict === undefined || e.verdict === 'directed').sort((a, b) => size(b) - size(a))
  const of = (v: string) => edges.filter((e) => e.verdict === v).length
  const [directedN, open, weak] = [of('directed'), of('undirected'), of('weak')]
  const out: Node[] = []
  const told = (e: Edge): (Node | string)[] => [variable(app, index(e.from), 28), verb(e), variable(app, index(e.to), 28), e.lag ? ` ${plural(e.lag, 'step')} later` : '', e.standardized !== 0 ? [' (', h('span', { class: `n ${signClass(e)}` }, signed(e.standardized, 2)), ')'] : ''].flat() as (Node | string)[]
  if (edges.length === 0) out.push(h('p', { class: 'say' }, `No edge was found among ${plural(r.names.length, 'column')}: no relation is stronger than chance.`))
  else if (strong.length === 0) {
    const [first, second] = [...between].sort((a, b) => size(b) - size(a)).map((e) => [variable(app, index(e.from), 28), ' and ', variable(app, index(e.to), 28)])
    out.push(h('p', { class: 'say' }, first!, between.length === 1 ? ' go together' : ' go together most', second ? [', then ', second] : '', open > 0 ? '; no direction is settled.' : '; every link may be chance.'))
  }
  else {
    const [first, second] = [strong[0]!, strong.find((e) => e.to !== strong[0]!.to && e.from !== strong[0]!.from) ?? strong[1]]
    out.push(h('p', { class: 'say' }, told(first), second ? [', and ', told(second)] : '', '.', first.standardized !== 0 && h('small', {}, ' Numbers are changes in standard deviations for one standard deviation of the cause, at fixed other causes.')))
  }
  if (between.length > 0 && (directedN || open || weak)) {
    const parts = between.length === weak ? ['all of them may be chance'] : [directedN && `${directedN} with a direction`, open && `${open} undirected`, weak && `${weak} that may be chance`].filter((p) => p)
    out.push(h('p', { class: 'say' }, `Of ${plural(r.names.length, 'column')} in ${plural(r.rows, 'row')}, ${plural(edges.length, 'pair')} ${edges.length === 1 ? 'is' : 'are'} linked: ${parts.join(', ')}.`))
  }
  const bases = new Map<string, number>()
  for (const e of edges) if (basisOf(e) !== '') bases.set(basisOf(e), (bases.get(basisOf(e)) ?? 0) + 1)
  const main = [...bases].sort((a, b) => b[1] - a[1])[0]
  const failed = (r.assumptions ?? []).filter((a) => a.outcome === 'failed')
  const words: Record<string, string> = { names: 'rest on the names of columns', you: 'rest on what you said', model: 'rest on the shape of the data', rules: 'rest on rules about real tables', time: 'rest on time' }
  const cautions = [
    main && directedN > 0 && `${main[1] < directedN ? `${main[1]} of ${directedN} directions` : directedN === 1 ? 'The direction' : directedN === 2 ? 'Both directions' : `All ${directedN} directions`} ${(words[main[0]] ?? `rest on ${main[0]}`).replace('rest', directedN === 1 ? 'rests' : 'rest')}.`,
    'All of this assumes that no unmeasured cause acts on two of the columns.',
    failed.length > 0 && `${failed.length === 1 ? 'One check' : `${failed.length} checks`} failed: ${failed.map((a) => denied(a.statement)).join('; ')}.`,
    (r.status === 'canceled' || r.status === 'stopped') && 'The run was stopped: this is the best graph so far.',
  ].filter((t): t is string => typeof t === 'string' && t !== '')
  out.push(app.store.now.sensitive.size > 0 ? caution(app) : h('div', { class: 'caveat' }, cautions.join(' '), failed.length > 0 && [' ', h('button', { type: 'button', class: 'link', click: () => app.store.set({ tab: 'check' }) }, 'See the checks')]))
  out.push(...budget(r.budget))
  const clear = between.filter((e) => e.verdict !== 'weak')
  const listed = (clear.length > 0 ? clear : between).sort((a, b) => size(b) - size(a)).slice(0, 8)
  if (listed.length > 0) out.push(h('section', {}, h('h3', {}, 'Strongest'), edgeList(app, listed)))
  out.push(...groupList(app))
  out.push(...surer(app))
  out.push(...environments(r.environments))
  const g = graphOf(app)
  const alone = r.names.map(index).filter((v) => g.parents[v]!.length + g.children[v]!.length + g.others[v]!.length === 0 && !g.lines.some((l) => l.from === v || l.to === v))
  if (alone.length > 0 && alone.length < r.names.length) out.push(h('details', {}, h('summary', {}, `${plural(alone.length, 'column')} without an edge`), h('p', {}, alone.map((v, k) => [k > 0 && ', ', variable(app, v)]))))
  return out
}

// surer lists what the reader could tell to settle more directions.
function surer(app: App): Node[] {
  const names = app.session ? suggestions(resultOf(app), app.session.knowledge) : []
  const questions = app.model.page.results[app.store.now.view.result]!.questions ?? []
  if (names.length + questions.length === 0) return []
  if (app.session) {
    return [h('section', {}, h('h3', {}, 'What would make it surer'),
      h('ul', { class: 'steps' },
        names.length > 0 && h('li', {}, 'Confirm what the names suggest, beside the columns.'),
        questions.length > 0 && h('li', {}, 'Answer the question above the graph; each answer draws it again.'),
        h('li', {}, 'Drag a column to the top of the canvas if it comes first, to the bottom if it comes last; or use the menu of the column.')))]
  }
  return [h('section', {}, h('h3', {}, 'What would make it surer'),
    h('ol', {}, questions.map((q) => h('li', {}, q))),
    h('p', {}, h('small', {}, 'Answer them with ', h('code', {}, 'polydag questions RESULT.json --ask'), ', and learn again with the file that it writes.')))]
}

// stated lists the causes of a column whose direction is stated, those with the largest effects first.
export function stated(app: App, v: number): Edge[] {
  const g = graphOf(app)
  return g.parents[v]!.map((u) => g.edge(u, v)!).filter(sure).sort((a, b) => size(b) - size(a))
}

