import type { Budget, Regimes, Result } from '../data'
import { bdi, h, num, plural } from '../dom'

// inShort is what the line under the title adds: how much of the fit a budget left, and how many mechanisms differ.
export function inShort(r: Result): string {
  const parts: string[] = []
  if (r.budget) parts.push(`${percent(r.budget.share)} of the fit without a budget`)
  if (r.regimes) {
    const n = r.regimes.changed?.length ?? 0
    parts.push(`${n === 0 ? 'no mechanism' : plural(n, 'mechanism')} ${n < 2 ? 'differs' : 'differ'} between ${plural(r.regimes.rows.length, 'regime')}`)
  }
  return parts.map((p) => `; ${p}`).join('')
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

// budget says how much of the fit the edges have, where their number or score gain was bounded.
export function budget(b: Budget | undefined): Node[] {
  if (!b) return []
  const bounds: string[] = []
  if (b.max_edges) bounds.push(`at most ${plural(b.max_edges, 'edge')}`)
  if (b.min_strength) bounds.push(`at least ${num(b.min_strength, 3)} bits per row each`)
  return [
    h('p', { class: 'budget' }, h('strong', {}, `Budget: ${bounds.join(', ')}. `),
      `The graph has ${percent(b.share)} of the fit of the graph without a budget (${plural(b.edges_without, 'edge')}): ${num(b.bits)} of ${num(b.bits_without)} bits per row.`),
  ]
}

// regimes lists the mechanisms that differ, each with how likely as much evidence is where nothing changes.
export function regimes(r: Regimes | undefined): Node[] {
  if (!r) return []
  const changed = r.changed ?? []
  return [
    h('h3', {}, 'What differs between the regimes'),
    h('p', {}, 'Column ', bdi(r.column, 28), ` tells ${plural(r.rows.length, 'regime')} apart. `,
      changed.length === 0 ? 'No mechanism differs between them.' : 'These mechanisms differ (a variable given its parents):'),
    ...(changed.length === 0 ? [] : [
      h('ul', { class: 'changed' }, changed.map((c) => h('li', {}, bdi(c.column, 28), ' in regime ', bdi(c.regime, 28), ` (p ${likely(c.p_adjusted)})`))),
      h('p', {}, h('small', {}, 'p: the probability of as much evidence in some variable and regime of the table, where nothing changes.')),
    ]),
  ]
}

// likely does not call a probability 0 that is only too small for a number.
const likely = (p: number) => (p < 1e-12 ? '< 1e−12' : `= ${num(p, 2)}`)
