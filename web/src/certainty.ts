import { all, type Assumption, type Basis, type Edge, type Mark, type Reason, type Result, type Verdict } from './data'
import { worded } from './advice'
import { capital, fact, h, num, plural, signed, visible } from './dom'
import { basisWord, definition, restsOn, statedLevel, terms } from './terms'

export const verdicts: Verdict[] = ['directed', 'undirected', 'weak']

// directed says that an edge is from → to in the graph, whatever its verdict. Only such edges have a weight and are part of paths.
export function directed(e: Pick<Edge, 'mark'> | undefined): boolean {
  return e?.mark === '-->'
}

// drawnMark is the mark to draw: an arrow whose direction is not stated has no head.
export function drawnMark(e: Pick<Edge, 'mark' | 'verdict'>): Mark {
  return directed(e) && (e.verdict === 'undirected' || e.verdict === 'weak') ? '---' : e.mark
}

// sure says that the direction is stated. A graph that was given has no verdicts and its arrows are taken as they are.
export const sure = (e: Edge): boolean => drawnMark(e) === '-->'

// reversible says that the direction is not stated, and that prior knowledge does not decide it: Edge.Reversible in Go.
export const reversible = (e: Edge): boolean => (e.verdict === 'undirected' || e.verdict === 'weak') && e.basis !== 'knowledge'

const drawn: Record<Mark, string> = { '-->': '→', '---': '—', '<->': '↔', 'o->': '∘→', 'o--': '∘—', 'o-o': '∘—∘' }

// symbol is a mark in a line of text.
export const symbol = (m: Mark): string => ` ${drawn[m]} `

// arrow draws the verdict on an edge in a line of text, ahead or back: → directed, — undirected, ? weak.
export function arrow(e: Edge, ahead = true): string {
  if (e.verdict === 'weak' && (e.mark === '-->' || e.mark === '---')) return ' ? '
  if (sure(e)) return ahead ? ' → ' : ' ← '
  return symbol(drawnMark(e))
}

// inLegend describes a verdict in a few words, the line that stands for it first.
export const inLegend: Record<Verdict, string> = {
  directed: 'arrow: directed',
  undirected: 'line: undirected (direction not stated)',
  weak: `dotted: weak (probability of the adjacency below ${statedLevel})`,
}

// about is for a cell of a table: the verdict, and the marks of an edge of a PAG.
export function about(e: Edge | undefined): string {
  if (!e) return '–'
  const bare = directed(e) || e.mark === '---' ? '' : ` ${symbol(e.mark).trim()}`
  return e.verdict ? e.verdict + bare : bare.trim() || (directed(e) ? 'directed' : 'undirected')
}

// word is the verdict with its definition as a tooltip.
export const word = (e: Edge | undefined): HTMLElement => h('span', { title: e?.verdict && definition[e.verdict] }, about(e))

// probability has two digits, and one that is not 1 is never shown as 1.
export function probability(p: number | undefined): string {
  if (p === undefined) return '–'
  return p < 1 && p >= 0.995 ? '> 0.99' : p.toFixed(2)
}

// bothProbabilities is the tooltip of a confidence.
export const bothProbabilities = (e: Edge): string | undefined =>
  e.verdict && `connected: ${probability(e.p_adjacent)}${directed(e) ? `, direction: ${probability(e.p_direction ?? 0)}` : ''}`

// basisOf says in one word what the stated direction rests on; it is empty if no direction is stated.
export function basisOf(e: Edge | undefined): string {
  if (e?.verdict !== 'directed') return ''
  if (e.lag) return 'time'
  return e.basis ? (basisWord[e.basis] ?? e.basis) : ''
}

// reverse is the probability of the opposite direction. A hidden common cause in place of the edge leaves less than the rest.
export function reverse(e: Edge): number {
  const hidden = e.evidence?.find((r) => r.source === 'hidden_cause')?.p ?? 0
  return Math.max(0, 1 - (e.p_direction ?? 0) - hidden)
}

// inBrief is for the tip over an edge.
export function inBrief(e: Edge): string {
  switch (e.verdict) {
    case 'directed':
      return `directed, confidence ${probability(e.confidence)}${basisOf(e) && `, basis ${basisOf(e)}`}`
    case 'undirected':
      return `undirected, confidence ${probability(e.confidence)}${directed(e) ? `, probability of this direction ${probability(e.p_direction)}` : ''}`
    case 'weak':
      return `weak, confidence ${probability(e.confidence)}`
  }
  return 'not learned'
}

// says counts the edges by verdict, and those with other marks than an arrow by these.
export function says(r: Result, marks: Record<Mark, string>): string {
  const parts: string[] = []
  for (const v of verdicts) {
    const n = all(r).filter((e) => e.verdict === v).length
    if (n > 0) parts.push(`${n} ${v}`)
  }
  const bare: string[] = []
  for (const m of Object.keys(marks) as Mark[]) {
    const n = r.edges.filter((e) => e.mark === m).length
    if (n > 0 && m !== '-->' && m !== '---') bare.push(`${n}${symbol(m)}${marks[m]}`)
  }
  const said = [parts.join(', '), bare.join('; ')].filter((s) => s !== '')
  return said.length === 0 ? '' : said.map((s) => `${s}.`).join(' ')
}

const sources: Record<string, string> = {
  knowledge: 'Prior knowledge',
  names: 'Names',
  class: 'Equivalence class',
  variances: 'Variances',
  shape: 'Shape',
  interventions: 'Interventions',
  rule: 'Rules about real tables',
  prior: 'Prior probability',
  resampling: 'Resampling',
  failed_checks: 'Failed checks',
  hidden_cause: 'Hidden cause',
}

const from: Record<Basis, string> = {
  knowledge: 'from prior knowledge',
  prior: 'from prior probabilities',
  knowledge_and_model: 'from prior knowledge and the data',
  names: 'from the names of the columns',
  model: 'from the data',
  model_and_rule: 'from the data and rules about real tables',
  rule: 'from rules about real tables',
}

// figures are those of one source of evidence, in a sentence.
function figures(r: Reason): string {
  if (r.p) return ` Probability ${probability(r.p)}.`
  if (!r.log_odds) return ''
  return ` Log odds ${signed(r.log_odds)}${r.weight === undefined ? '' : `, with the weight ${num(r.weight, 2)} of the model here`}.`
}

// directionSaid is the probability of the direction and its source. yours says that the reader gave the knowledge.
export function directionSaid(e: Edge, yours: boolean): string {
  if (e.basis === 'knowledge') return yours ? 'you said so' : 'given by prior knowledge'
  const which = sure(e) ? '' : `${visible(e.from)} → ${visible(e.to)}: `
  return `${which}${probability(e.p_direction)}${e.basis ? ` (${from[e.basis] ?? e.basis})` : ''}`
}

// judgement lists the verdict on one edge, the probabilities that it exists and of its direction, and the evidence for the direction.
export function judgement(e: Edge, yours = false): Node[] {
  if (!e.verdict) return []
  const evidence = e.evidence ?? []
  return [
    h('dl', { class: 'facts judgement' },
      fact('Verdict', h('strong', { title: definition[e.verdict] }, about(e)), definition[e.verdict]),
      fact('Connected', probability(e.p_adjacent), terms.adjacent),
      directed(e) && fact('Direction', h('span', { title: e.basis && `Rests on ${restsOn[e.basis]}.` }, directionSaid(e, yours)), terms.direction),
      e.hidden_cause && fact('Hidden common cause', e.hidden_cause, terms.hiddenCause)),
    h('p', { class: 'dim' }, definition[e.verdict]),
    ...(evidence.length === 0 ? [] : [
      h('h4', {}, 'Evidence for the direction'),
      h('ul', { class: 'evidence' }, evidence.map((r) =>
        h('li', {}, h('strong', {}, `${sources[r.source] ?? r.source}: `), `${r.text}.`,
          h('small', {}, figures(r))))),
    ]),
  ]
}

const checks: Record<Assumption['outcome'], string> = {
  passed: 'passed',
  failed: 'failed',
  not_checked: 'not checked',
  untestable: 'untestable',
}

// denied says that a statement is not true: rows are independent, rows are not independent.
export const denied = (statement: string): string => (/ (is|are) /.test(statement) ? statement.replace(/ (is|are) /, ' $1 not ') : `in doubt: ${statement}`)

// badges have a few words for each failed or unchecked assumption, or for all of them in short, for warnings and for a run that ended
// early. Each opens the tab with the details.
export function badges(r: Result, open: (tab: string) => void, brief = false): HTMLElement | undefined {
  const items: HTMLElement[] = []
  const badge = (kind: string, text: string, title: string, tab: string) =>
    items.push(h('li', { class: kind, title }, h('button', { type: 'button', click: () => open(tab) }, text)))
  if (!['converged', 'completed'].includes(r.status)) badge('failed', `stopped early: ${r.status.replace('_', ' ')}`, r.cause ?? '', 'run')
  for (const [outcome, said] of [['failed', 'failed'], ['not_checked', 'skipped']] as const) {
    const list = (r.assumptions ?? []).filter((a) => a.outcome === outcome)
    if (brief && list.length > 0) badge(outcome, `${plural(list.length, 'assumption check')} ${said}`, list.map((a) => a.sentence).join('\n'), 'data')
  }
  for (const a of brief ? [] : (r.assumptions ?? [])) {
    if (a.outcome === 'failed' || a.outcome === 'not_checked') badge(a.outcome, a.outcome === 'failed' ? `check failed: ${denied(a.statement)}` : `check skipped: ${a.statement}`, a.sentence, 'data')
  }
  const said = [...(r.warnings ?? []), ...(r.data_checks ?? []).filter((f) => f.severity !== 'note').map((f) => f.sentence)]
  if (said.length > 0) badge('failed', plural(said.length, 'warning'), said.join('\n'), 'data')
  return items.length === 0 ? undefined : h('ul', { class: 'badges', 'aria-label': 'Warnings' }, items)
}

// assumptions lists the assumption checks with their figures.
export function assumptions(r: Result, live = false): Node[] {
  const failed = (a: { outcome: string }) => Number(a.outcome === 'failed')
  const list = [...(r.assumptions ?? [])].sort((a, b) => failed(b) - failed(a))
  const head = h('h3', { title: terms.assumption }, 'Assumption checks')
  if (list.length === 0) return [head, h('p', { class: 'dim' }, 'No assumption was checked for this result.')]
  return [
    head,
    ...list.map((a) =>
      h(
        'div',
        { class: `finding ${a.outcome === 'failed' ? 'warning' : 'note'}` },
        h('p', {}, h('strong', {}, `${capital(a.statement)}: ${checks[a.outcome]}. `), capital(worded(a.sentence)), '.'),
        (a.evidence ?? []).map((f) => f.way_out !== '' && h('p', {}, 'What to do: ', worded(f.way_out, live), '.')),
      ),
    ),
  ]
}
