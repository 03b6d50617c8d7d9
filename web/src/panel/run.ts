import { resultOf, type App } from '../app'
import { curve } from '../chart'
import type { Choice, Trace } from '../data'
import { fact, h, num, plural, seconds } from '../dom'
import { budget } from './bounds'
import { program } from './provenance'

const statuses: Record<string, string> = {
  converged: 'converged',
  completed: 'completed: a schedule of fixed length ran to its end',
  step_limit: 'stopped at the limit of steps; the best so far is shown',
  canceled: 'canceled; the best so far is shown',
  failed: 'failed',
}

// run says how the result was made: method, settings, stages, time and course.
export function run(app: App): Node[] {
  const r = resultOf(app)
  const out: Node[] = [
    h('h2', {}, 'The run'),
    h(
      'dl',
      { class: 'facts' },
      ...fact('Method', r.method),
      ...fact('Status', (statuses[r.status] ?? r.status) + (r.cause ? `: ${r.cause}` : '')),
      ...fact('Score', num(r.score, 6) + (r.optimal ? '; no graph has a better one, the search was exhaustive' : '')),
      ...(r.continuous ? fact('Gradient steps', String(r.continuous.steps)) : []),
      ...fact('Seed', String(r.seed)),
      ...program(r.program),
    ),
  ]
  out.push(...budget(r.budget))
  const choices = r.choices ?? []
  if (choices.length > 0) {
    out.push(h('h3', {}, 'Left to the method'), h('dl', { class: 'facts' }, choices.map((c) => fact(c.setting, choice(c)))))
  }
  out.push(h('h3', {}, 'Stages'))
  if (r.stages.length === 0) out.push(h('p', { class: 'dim' }, 'none recorded'))
  else {
    out.push(
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          {},
          h('thead', {}, h('tr', {}, h('th', {}, 'stage'), h('th', { class: 'n' }, 'score (BIC)'), h('th', { class: 'n' }, 'h at its end'), h('th', { class: 'n' }, 'time'))),
          h('tbody', {}, r.stages.map((s) =>
            h(
              'tr',
              {},
              h('td', {}, s.name, s.skipped && h('small', {}, h('br'), `skipped: ${s.skipped}`)),
              h('td', { class: 'n' }, num(s.score, 6)),
              h('td', { class: 'n' }, num(s.h)),
              h('td', { class: 'n' }, time(r.timing?.stage_seconds?.[s.name])),
            ),
          )),
        ),
      ),
    )
  }
  out.push(h('h3', {}, 'Convergence'))
  const traces = r.trace ?? []
  if (traces.length === 0) out.push(h('p', { class: 'dim' }, 'The course of the run is not stored with this result.'))
  for (const t of traces) {
    const charts = [
      curve('Score', t.step, t.score, false),
      t.h ? curve('h', t.step, t.h, true) : null,
      t.rho ? curve('Weight of h (rho)', t.step, t.rho, true) : null,
      t.edges ? curve('Edges', t.step, t.edges, false) : null,
    ].filter((c) => c !== null)
    out.push(h('section', { class: 'trace', 'aria-label': `Convergence of ${t.stage}` }, h('h4', {}, `Stage ${t.stage}`),
      charts.length > 0 ? charts : h('p', { class: 'dim' }, end(t))))
  }
  out.push(h('h3', {}, 'Time'))
  if (r.timing) {
    out.push(h('dl', { class: 'facts' }, ...fact('Reading', time(r.timing.read_seconds)), ...fact('Learning', time(r.timing.solve_seconds)), ...fact('Threads', String(r.timing.threads))))
  }
  const keys = Object.keys(r.settings) // in the order in which the method has them
  out.push(h('h3', {}, 'Settings, as used'))
  out.push(keys.length === 0 ? h('p', { class: 'dim' }, 'none recorded') : h('dl', { class: 'facts' }, keys.map((k) => fact(k, show(r.settings[k])))))
  return out
}

// choice says what a method chose, why, and by how much.
function choice(c: Choice): string {
  const parts = [c.chosen]
  if (c.reason) parts.push(c.reason)
  const scores = Object.entries(c.scores ?? {}).sort((a, b) => a[1] - b[1])
  if (scores.length > 1) parts.push(`score ${scores.map(([name, v]) => `${num(v, 6)} with ${name}`).join(', ')}`)
  if (c.margin !== undefined) parts.push(`better than the next by ${num(c.margin)}`)
  return parts.join('; ')
}

// end says in words what a course of one point would not show as a curve.
function end(t: Trace): string {
  const k = t.step.length - 1
  if (k < 0) return 'no point recorded'
  const parts = [`score ${num(t.score[k], 6)}`]
  if (t.h) parts.push(`h ${num(t.h[k])}`)
  if (t.edges) parts.push(plural(t.edges[k] ?? 0, 'edge'))
  return `At step ${t.step[k]}, the only one: ${parts.join(', ')}.`
}

function time(v: number | undefined): string {
  return v === undefined ? '–' : seconds(v)
}

function show(v: unknown): string {
  if (typeof v === 'number') return num(v, 6)
  return typeof v === 'string' ? v : JSON.stringify(v)
}
