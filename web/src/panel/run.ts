import { resultOf, type App } from '../app'
import { curve } from '../chart'
import { press } from '../copy'
import type { Choice, Trace } from '../data'
import { fact, h, num, plural, seconds } from '../dom'
import { terms } from '../terms'
import { budget } from './bounds'
import { program } from './provenance'

const statuses: Record<string, string> = {
  converged: 'converged',
  completed: 'completed: the fixed number of steps was run',
  step_limit: 'stopped at the limit of steps; the best graph so far is shown',
  canceled: 'canceled; the best graph so far is shown',
  failed: 'failed',
}

// chosen explains the settings that a method chose.
const chosen: Record<string, string> = {
  model: 'What effects may look like; flexible: smooth curves between continuous columns, linear effects of counts, and shifts by category.',
  'false edges': 'Significance level of the tests that remove edges which chance explains.',
  terms: 'Scale of columns; normal scores: each value is replaced by the normal quantile of its rank.',
  variance: 'Whether the noise of all columns has the same variance.',
  noise: 'Distribution of what the parents do not explain.',
  penalty: terms.penalty,
}

// run lists how the result was made: method, settings, stages, time and convergence.
export function run(app: App): Node[] {
  const r = resultOf(app)
  const out: Node[] = [
    h('h2', {}, 'The run'),
    h(
      'dl',
      { class: 'facts' },
      ...fact('Method', r.method),
      ...fact('Status', (statuses[r.status] ?? r.status) + (r.cause ? `: ${r.cause}` : '')),
      ...fact('Score', num(r.score, 6) + (r.optimal ? '; globally optimal (exhaustive search)' : ''), terms.score),
      ...(r.continuous ? fact('Gradient steps', String(r.continuous.steps)) : []),
      ...fact('Seed', String(r.seed)),
      ...program(r.program),
    ),
  ]
  out.push(paragraph(app), ...budget(r.budget))
  const choices = r.choices ?? []
  if (choices.length > 0) {
    out.push(h('h3', {}, 'Chosen by the method'), h('dl', { class: 'facts' }, choices.map((c) => fact(c.setting, choice(c), chosen[c.setting]))))
  }
  const [scored, solved] = [r.stages.some((s) => s.score !== undefined), r.stages.some((s) => s.h !== undefined)]
  out.push(h('h3', {}, 'Stages'))
  if (r.stages.length === 0) out.push(h('p', { class: 'dim' }, 'None recorded.'))
  else {
    out.push(
      h(
        'div',
        { class: 'scroll' },
        h(
          'table',
          {},
          h('thead', {}, h('tr', {}, h('th', {}, 'stage'), scored && h('th', { class: 'n', title: terms.score }, 'score (BIC)'), solved && h('th', { class: 'n', title: terms.h }, 'h (0: no cycle)'), h('th', { class: 'n' }, 'time'))),
          h('tbody', {}, r.stages.map((s) =>
            h(
              'tr',
              {},
              h('td', {}, s.name, s.skipped && h('small', {}, h('br'), `skipped: ${s.skipped}`)),
              scored && h('td', { class: 'n' }, num(s.score, 6)),
              solved && h('td', { class: 'n' }, num(s.h)),
              h('td', { class: 'n' }, time(r.timing?.stage_seconds?.[s.name])),
            ),
          )),
        ),
      ),
    )
  }
  out.push(h('h3', {}, 'Convergence'))
  const traces = r.trace ?? []
  if (traces.length === 0) out.push(h('p', { class: 'dim' }, 'This result does not store the convergence of the run.'))
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
  out.push(keys.length === 0 ? h('p', { class: 'dim' }, 'None recorded.') : h('dl', { class: 'facts' }, keys.map((k) => fact(k, show(r.settings[k])))))
  return out
}

// paragraph is how the graph was learned, to be copied into a paper.
function paragraph(app: App): Node {
  const text = app.model.page.results[app.store.now.view.result]!.paragraph ?? ''
  const box = h('div', { class: 'paragraph', tabindex: 0, role: 'region', 'aria-label': 'Methods paragraph' }, text)
  return h('details', { id: 'paragraph' }, h('summary', {}, 'Methods paragraph for a paper'), box,
    h('p', {}, h('button', { type: 'button', 'aria-label': 'Copy the methods paragraph', click: (e: Event) => void press(e.currentTarget as Element, text, box) }, 'Copy')))
}

// choice describes what a method chose, why, and by which margin.
function choice(c: Choice): string {
  const parts = [c.chosen]
  if (c.reason) parts.push(c.reason)
  const scores = Object.entries(c.scores ?? {}).sort((a, b) => a[1] - b[1])
  if (scores.length > 1) parts.push(`score ${scores.map(([name, v]) => `${num(v, 6)} with ${name}`).join(', ')}`)
  if (c.margin !== undefined) parts.push(`Δscore = ${num(c.margin)} against the next best`)
  return parts.join('; ')
}

// end describes a trace with a single point, which cannot be drawn as a curve.
function end(t: Trace): string {
  const k = t.step.length - 1
  if (k < 0) return 'no point recorded'
  const parts = [`score ${num(t.score[k], 6)}`]
  if (t.h) parts.push(`h ${num(t.h[k])}`)
  if (t.edges) parts.push(plural(t.edges[k] ?? 0, 'edge'))
  return `Only step ${t.step[k]} was recorded: ${parts.join(', ')}.`
}

function time(v: number | undefined): string {
  return v === undefined ? '–' : seconds(v)
}

function show(v: unknown): string {
  if (typeof v === 'number') return num(v, 6)
  return typeof v === 'string' ? v : JSON.stringify(v)
}
