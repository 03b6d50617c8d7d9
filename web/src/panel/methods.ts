import type { App } from '../app'
import type { Methods } from '../data'
import { bdi, h, num, plural, seconds } from '../dom'
import { sortable, type Column } from '../sortable'

type Row = Methods['rows'][number]

// methods compares several methods on one table: their figures and their agreement. Names and cells open their graphs.
export function methods(app: App): Node[] {
  const { methods: m, results } = app.model.page
  if (!m) return []
  const best = m.figures.map((f, k) => {
    const all = m.rows.flatMap((r) => r.values[k] ?? [])
    return all.length === 0 || !f.best ? undefined : f.best === 'less' ? Math.min(...all) : Math.max(...all)
  })
  const value = (r: Row, k: number) => r.values[k] ?? undefined
  const cell = (r: Row, k: number): Node | string => {
    const v = value(r, k)
    if (v === undefined) return '–'
    const { title, decimals } = m.figures[k]!
    const text = title === 'Seconds' ? seconds(v) : decimals !== undefined ? v.toFixed(decimals).replace('-', '−') : num(v, 4)
    return best[k] !== undefined && Math.abs(v - best[k]!) < 1e-9 ? h('strong', { title: 'the best' }, text) : text
  }
  const name = (r: Row): Node => {
    if (r.result < 0) return bdi(r.label)
    return h('button', { type: 'button', class: 'link', click: () => app.store.set({ view: { kind: 'result', result: r.result } }) }, bdi(r.label))
  }
  const columns: Column<Row>[] = [
    { title: 'Method', key: (r) => r.label, cell: name },
    ...m.figures.map((f, k): Column<Row> => ({ title: f.title, about: f.about, number: true, ...(f.best === 'less' && { up: true }), key: (r) => value(r, k), cell: (r) => cell(r, k) })),
  ]
  const without = m.rows.filter((r) => r.why)
  return [
    h('h2', {}, plural(m.rows.length, 'method')),
    h('p', { class: 'dim' }, 'Click a header to sort, a name to show its graph. The best value of a column is bold.'),
    sortable(`Methods (${m.rows.length})`, columns, m.rows, (r) => r.result < 0),
    ...m.notes.map((n) => h('p', { class: 'dim' }, n)),
    ...(without.length > 0 ? [h('h3', {}, 'Incomplete'), h('ul', {}, without.map((r) => h('li', {}, bdi(r.label), `: ${r.why}`)))] : []),
    ...(results.length > 1 ? agreement(app, m) : []),
  ]
}

// agreement is the matrix of agreement in percent: adjacent pairs below the diagonal, edges with the same marks above.
function agreement(app: App, m: Methods): Node[] {
  const { results } = app.model.page
  const box = (i: number, j: number) => {
    if (i === j) return h('td', { class: 'heat' }, '–')
    const share = i > j ? m.skeleton[i]![j]! : m.marks[i]![j]!
    const percent = Math.round(100 * share)
    const what = i > j ? 'adjacent pairs in common' : 'edges with the same marks'
    const label = `${results[i]!.label} and ${results[j]!.label}: ${percent} % ${what}`
    return h('td', { class: `heat h${Math.round(10 * share)}` },
      h('button', { type: 'button', 'aria-label': label, title: label, click: () => app.store.set({ view: { kind: 'compare', result: i, other: j }, tab: 'compare' }) }, String(percent)))
  }
  return [
    h('h3', {}, 'Agreement'),
    h('p', { class: 'dim' }, 'In percent. Below the diagonal: adjacent pairs in common. Above it: edges with the same marks. Click a cell to compare the two methods.'),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Agreement of the methods' },
      h('table', { class: 'agreement' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Method'), results.map((r, k) => h('th', { scope: 'col', title: r.label }, String(k + 1))))),
        h('tbody', {}, results.map((r, i) => h('tr', {}, h('th', { scope: 'row' }, `${i + 1} `, bdi(r.label, 24)), results.map((_, j) => box(i, j))))))),
  ]
}
