import type { Budget, Environments, Result } from '../data'
import { bdi, h, num, plural } from '../dom'
import { terms } from '../terms'

// inShort is the end of the line under the title: the share of the fit within a budget, and how many mechanisms differ.
export function inShort(r: Result): string {
  const parts: string[] = []
  if (r.budget) parts.push(`${percent(r.budget.share)} of the fit without a budget`)
  if (r.environments) {
    const n = r.environments.changed?.length ?? 0
    parts.push(`${n === 0 ? 'no mechanism' : plural(n, 'mechanism')} ${n < 2 ? 'differs' : 'differ'} between ${plural(r.environments.rows.length, 'environment')}`)
  }
  return parts.map((p) => `; ${p}`).join('')
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

// budget reports the share of the fit that remains under a limit on the number or the score gain of edges.
export function budget(b: Budget | undefined): Node[] {
  if (!b) return []
  const bounds: string[] = []
  if (b.max_edges) bounds.push(`at most ${plural(b.max_edges, 'edge')}`)
  if (b.min_gain) bounds.push(`at least ${num(b.min_gain, 3)} bits per row each`)
  return [
    h('p', { class: 'budget' }, h('strong', {}, `Budget: ${bounds.join(', ')}. `),
      `The graph has ${percent(b.share)} of the fit of the graph without a budget (${plural(b.edges_without, 'edge')}): ${num(b.bits)} of ${num(b.bits_without)} bits per row.`),
  ]
}

// environments lists the mechanisms that differ between environments, each with its adjusted p-value.
export function environments(r: Environments | undefined): Node[] {
  if (!r) return []
  const changed = r.changed ?? []
  return [
    h('h3', { title: terms.environment }, 'Differences between environments'),
    h('p', {}, 'The environment column is ', bdi(r.column, 28), `, with ${plural(r.rows.length, 'environment')}. `,
      changed.length === 0 ? 'No mechanism differs between them.' : 'These mechanisms differ (a variable given its parents):'),
    ...(changed.length === 0 ? [] : [
      h('ul', { class: 'changed' }, changed.map((c) => h('li', {}, bdi(c.column, 28), ' in environment ', bdi(c.environment, 28), ` (p ${likely(c.p_adjusted)})`))),
      h('p', {}, h('small', {}, 'p: adjusted p-value, the probability of at least this much evidence in any variable and environment if nothing differs.')),
    ]),
  ]
}

// likely prints a p-value, a very small one as a bound.
const likely = (p: number) => (p < 1e-12 ? '< 1e−12' : `= ${num(p, 2)}`)
