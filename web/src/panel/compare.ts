import { variable, type App } from '../app'
import type { Metrics, Pair } from '../data'
import { arrow, symbol } from '../certainty'
import { terms } from '../terms'
import type { Graph } from '../graph'
import { bdi, h, num, plural } from '../dom'

// compare shows how the results differ from the truth and from each other.
export function compare(app: App): Node[] {
  const { truth, results, methods } = app.model.page
  const out: Node[] = []
  const { view } = app.store.now
  const two = view.kind === 'compare' ? [view.result, view.other] : app.model.page.comparison ? [0, 1] : undefined
  if (two) {
    const comparison = app.model.comparison(two[0]!, two[1]!)
    const first = app.model.graphs[two[0]!]
    out.push(
      h('h2', {}, 'A and B'),
      h('ul', {}, two.map((n) => results[n]!).map((r, k) => h('li', {}, `${'AB'[k]}: `, bdi(r.label), `, ${r.result.method}, ${plural(r.result.edges.length, 'edge')}`))),
      h('p', {}, `Both have ${plural(comparison.both.length, 'edge')} with the same marks and ${comparison.turned.length} reversed or with other marks; ${comparison.only_first.length} ${comparison.only_first.length === 1 ? 'is' : 'are'} only in A, ${comparison.only_second.length} only in B.`),
      ...list(app, 'Reversed or with other marks, as in A', comparison.turned, first),
      ...list(app, 'Only in A', comparison.only_first, first),
      ...list(app, 'Only in B', comparison.only_second, app.model.graphs[two[1]!]),
      ...list(app, 'In both', comparison.both, first),
    )
  }
  if (methods && !two) out.push(h('p', { class: 'dim' }, 'Choose two methods at the top, or a cell of the agreement in the tab Methods, to see what differs between them.'))
  if (truth && !(methods && two)) {
    const shown = methods ? [view.result] : truth.verdicts.map((_, k) => k)
    out.push(h('h2', {}, 'Compared with the truth'), h('p', {}, `The known graph has ${plural(truth.edges, 'edge')}.`))
    const columns = shown.map((k) => truth.verdicts[k]!.metrics)
    out.push(
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          { class: 'metrics' },
          h('thead', {}, h('tr', {}, h('th', {}, 'metric'), columns.map((_, k) => h('th', { class: 'n' }, columns.length > 1 ? 'AB'[k] : 'value')))),
          h('tbody', {}, metrics.map(([name, why, get]) =>
            h('tr', {}, h('td', { title: name === 'SHD' ? terms.shd : undefined }, name, h('br'), h('small', {}, why)), columns.map((m) => h('td', { class: 'n' }, get(m)))),
          )),
        ),
      ),
    )
    shown.forEach((k) => {
      const v = truth.verdicts[k]!
      if (truth.verdicts.length > 1) out.push(h('h3', {}, bdi(app.model.label(k))))
      out.push(
        ...list(app, 'Reversed, as learned', v.reversed),
        ...list(app, 'Missing', v.missing),
        ...list(app, 'Extra', v.extra, app.model.graphs[k]),
        ...(v.unoriented.length > 0 ? list(app, 'Found without a direction; the metrics count them as missing', v.unoriented, app.model.graphs[k]) : []),
        ...list(app, 'Right', v.right),
      )
    })
  }
  return out
}

const metrics: [name: string, why: string, get: (m: Metrics) => string][] = [
  ['Edges', 'learned', (m) => String(m.edges_estimated)],
  ['SHD', 'missing + extra + reversed; 0 is perfect', (m) => `${m.shd} = ${m.missing} + ${m.extra} + ${m.reversed}`],
  ['F1', 'of directed edges; 1 is perfect', (m) => num(m.f1, 3)],
  ['Precision', 'share of the learned edges that are true', (m) => num(m.precision, 3)],
  ['TPR', 'share of the true edges that were found', (m) => num(m.tpr, 3)],
  ['FPR', 'share of the pairs without a true edge that have a learned one', (m) => num(m.fpr, 3)],
  ['Skeleton F1', 'ignores directions', (m) => num(m.skeleton_f1, 3)],
  ['CPDAG SHD', 'compares equivalence classes, in which some edges have no direction', (m) => num(m.cpdag_shd)],
]

const most = 30

function list(app: App, title: string, pairs: Pair[], g?: Graph): Node[] {
  if (pairs.length === 0) return [h('h3', {}, `${title}: none`)]
  return [
    h(
      'details',
      { open: pairs.length <= most },
      h('summary', {}, h('strong', {}, `${title}: ${pairs.length}`)),
      h('ul', {}, pairs.map(([from, to]) => h('li', {}, variable(app, from, 28), g?.edge(from, to) ? arrow(g.edge(from, to)!) : symbol('-->'), variable(app, to, 28)))),
    ),
  ]
}
