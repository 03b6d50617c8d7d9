import { resultOf, type App } from '../app'
import type { Link, Result } from '../data'
import { worded } from '../advice'
import { assumptions } from '../certainty'
import { capital, fact, bdi, h, num, plural } from '../dom'
import { environments } from './bounds'
import { provenance } from './provenance'

const severities = { error: 'Error', warning: 'Warning', note: 'Note' }

// data shows the data checks, the assumption checks, and how the graph depends on the units.
export function data(app: App): Node[] {
  const r = resultOf(app)
  const live = app.session !== undefined
  const out: Node[] = [h('h2', {}, 'Checks')]
  out.push(h('p', {}, `${plural(r.rows, 'row')}, ${plural(r.names.length, 'column')}.`))
  for (const n of r.table.notes ?? []) out.push(h('p', {}, worded(n, live)))
  for (const w of r.warnings ?? []) out.push(h('div', { class: 'finding warning' }, h('p', {}, h('strong', {}, 'Warning: '), w)))
  out.push(...environments(r.environments), ...assumptions(r, live))
  out.push(h('h3', {}, 'Data checks'))
  const findings = r.data_checks ?? []
  if (findings.length === 0) out.push(h('p', { class: 'dim' }, 'None are stored with this result. Run polydag check on the table.'))
  for (const f of findings) {
    out.push(
      h(
        'div',
        { class: `finding ${f.severity}` },
        h('p', {}, h('strong', {}, `${severities[f.severity] ?? f.severity}: `), capital(f.sentence), /[.!?]$/.test(f.sentence) ? '' : '.'),
        f.columns && f.columns.length > 0 && h('p', { class: 'dim' }, 'Columns: ', f.columns.slice(0, 20).map((c, k) => [k > 0 && ', ', bdi(c, 28)]), f.columns.length > 20 && ` and ${f.columns.length - 20} more`),
        f.way_out !== '' && h('p', {}, 'What to do: ', worded(f.way_out, live)),
      ),
    )
  }
  out.push(h('h3', {}, 'Does the graph depend on the units?'))
  const s = r.scale_check
  const file = [h('h3', {}, 'The file'), ...provenance(r.table)]
  if (!s) {
    out.push(h('p', { class: 'dim' }, 'Not checked for this result.'), ...sorted(r))
    return [...out, ...file]
  }
  out.push(
    h('p', {}, s.sentence),
    h(
      'dl',
      { class: 'facts' },
      ...fact('Agreement', `${(100 * s.agreement).toFixed(0)} % of the adjacent pairs`),
      ...fact('Edges, raw columns', String(s.raw_edges)),
      ...fact('Edges, standardized', String(s.standardized_edges)),
      ...fact('The same in both', String(s.same)),
      ...fact('Reversed', String(s.reversed)),
    ),
    ...links('Only with raw columns', s.only_raw),
    ...links('Only with standardized columns', s.only_standardized),
    ...sorted(r),
    ...file,
  )
  return out
}

// sorted shows how well sorting the columns by variance or by R² reproduces the order of the graph.
function sorted(r: Result): Node[] {
  if (!r.sortability) return []
  return [
    h('h3', {}, 'Sortability'),
    h('dl', { class: 'facts' }, ...fact('By variance', num(r.sortability.variance, 3)), ...(r.sortability.r2 !== undefined ? fact('By R² from all others', num(r.sortability.r2, 3)) : [])),
    h('p', { class: 'dim' }, '1: sorting the columns by this value gives the order of the graph; 0.5: no relation; 0: the reverse order. If the value by variance is near 1 or 0, the directions may follow the units of the columns.'),
  ]
}

function links(title: string, list: Link[] | undefined): Node[] {
  if (!list || list.length === 0) return []
  return [
    h(
      'details',
      { open: list.length <= 12 },
      h('summary', {}, `${title}: ${list.length}`),
      h('ul', {}, list.map((l) => h('li', {}, bdi(l.from, 28), ' → ', bdi(l.to, 28)))),
    ),
  ]
}
