import { graphOf, resultOf, variable, type App } from '../app'
import { about as verdict, arrow, basisOf, bothProbabilities, directed, probability, sure, symbol, word as verdictWord } from '../certainty'
import { terms } from '../terms'
import { bits, size } from '../gain'
import { bdi, h, num, plural, short } from '../dom'
import { sortable, type Column } from '../sortable'
import type { Edge } from '../data'
import { hides, separate, weighed, word, type EdgeView } from '../view'

// sloping says that an edge has a weight: from or to a categorical column, or without a stated direction, it has none.
const sloping = (e: Edge | undefined) => e !== undefined && sure(e) && !(e.weight === 0 && e.effect !== undefined)

// stated keeps the neighbours with an edge whose direction is stated.
const stated = (list: number[], edge: (u: number) => Edge | undefined) => list.filter((u) => sure(edge(u)!)).length

// table lists edges and variables.
export function table(app: App): Node[] {
  const { model, store } = app
  const { names } = model.page
  const { view } = store.now
  const result = resultOf(app)
  const g = graphOf(app)
  const weak = (e: EdgeView) => hides(e, store.now)
  const mark = (e: EdgeView) => (e.edge ? arrow(e.edge) : symbol('-->')).trim()
  const columns: Column<EdgeView>[] = [
    { title: 'From', about: terms.mark, key: (e) => names[e.from]!, cell: (e) => variable(app, e.from, 28) },
    { title: 'To', about: terms.mark, key: (e) => names[e.to]!, cell: (e) => h('span', {}, `${mark(e)} `, variable(app, e.to, 28)) },
  ]
  if (view.kind !== 'result') columns.push({ title: view.kind === 'truth' ? 'Against truth' : 'In', key: (e) => e.standing, cell: (e) => word[e.standing] })
  // A line of the graph stands for all lags of a pair; the table has a row for each.
  const rows = separate(app.edges)
  if (rows.some((e) => e.lagged)) columns.push({ title: 'Lag', about: terms.lag, number: true, key: (e) => e.edge?.lag ?? 0, cell: (e) => String(e.edge?.lag ?? 0) })
  columns.push({ title: 'Verdict', about: terms.verdict, key: (e) => verdict(e.edge), cell: (e) => verdictWord(e.edge) })
  const judged = app.edges.some((e) => e.edge?.confidence !== undefined)
  if (judged) columns.push({ title: 'Conf.', about: terms.confidence, number: true, key: (e) => e.edge?.confidence ?? 0, cell: (e) => h('span', { title: e.edge && bothProbabilities(e.edge) }, probability(e.edge?.confidence)) })
  if (app.edges.some((e) => basisOf(e.edge) !== '')) columns.push({ title: 'Basis', about: terms.basis, key: (e) => basisOf(e.edge), cell: (e) => basisOf(e.edge) || '–' })
  columns.push({ title: 'Gain', about: terms.gain, number: true, key: (e) => e.size, cell: (e) => (weighed(e) && e.edge ? num(bits(e.edge), 2) : '–') })
  if (app.edges.some((e) => sloping(e.edge))) {
    columns.push({ title: 'Weight', about: terms.weight, number: true, key: (e) => e.edge?.weight ?? 0, cell: (e) => num(sloping(e.edge) ? e.edge?.weight : undefined) })
  }
  if (view.kind === 'compare') columns.push({ title: 'In B', about: 'score gain in B, bits per row', number: true, key: (e) => size(e.other), cell: (e) => (e.other && directed(e.other) ? num(bits(e.other), 2) : '–') })

  const facts = new Map(result.nodes.map((n) => [n.name, n]))
  const all = names.map((_, v) => v)
  const node = (v: number) => facts.get(names[v]!)
  const parents = (v: number) => stated(g.parents[v]!, (u) => g.edge(u, v))
  const children = (v: number) => stated(g.children[v]!, (u) => g.edge(v, u))
  const others = (v: number) => g.parents[v]!.length + g.children[v]!.length + g.others[v]!.length - parents(v) - children(v)
  const about: Column<number>[] = [
    { title: 'Variable', key: (v) => names[v]!, cell: (v) => variable(app, v, 28) },
    { title: 'Parents', about: terms.stated, number: true, key: parents, cell: (v) => String(parents(v)) },
    { title: 'Children', about: terms.stated, number: true, key: children, cell: (v) => String(children(v)) },
  ]
  if (all.some((v) => others(v) > 0)) about.push({ title: 'Other edges', about: 'Undirected and weak edges, and edges with other marks.', number: true, key: others, cell: (v) => String(others(v)) })
  if (facts.size > 0) {
    about.push(
      { title: 'Mean', number: true, key: (v) => node(v)?.mean ?? 0, cell: (v) => num(node(v)?.mean) },
      { title: 'Std. dev.', number: true, key: (v) => node(v)?.std ?? 0, cell: (v) => num(node(v)?.std) },
      { title: 'Residual var.', about: terms.residual, number: true, key: (v) => node(v)?.residual_variance ?? 0, cell: (v) => num(node(v)?.residual_variance) },
      { title: 'R²', about: terms.r2, number: true, key: (v) => node(v)?.r2 ?? 0, cell: (v) => num(node(v)?.r2, 3) },
      { title: 'Explained', about: terms.explained, number: true, key: (v) => node(v)?.explained ?? 0, cell: (v) => num(node(v)?.explained, 3) },
    )
  }
  about.push({
    title: 'Sensitive',
    about: terms.sensitive,
    key: (v) => Number(store.now.sensitive.has(v)),
    cell: (v) => {
      const box = h('input', { type: 'checkbox', checked: store.now.sensitive.has(v), 'aria-label': `${short(names[v]!)} is sensitive`, change: () => store.mark(v, box.checked) })
      return box
    },
  })
  return [
    h('h2', {}, 'Edges and variables'),
    h('p', { class: 'dim' }, 'Click a header to sort, a name to open the variable. ', view.kind === 'compare' && h('span', {}, 'Variables are those of A, ', bdi(model.page.results[view.result]!.label), '.')),
    sortable(`Edges (${rows.length})`, columns, rows, weak, columns.findIndex((c) => c.title === 'Gain')),
    h('h3', {}, plural(names.length, 'variable')),
    sortable(`Variables (${names.length})`, about, all, () => false),
  ]
}
