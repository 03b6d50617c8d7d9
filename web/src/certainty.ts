import type { Assumption, Direction, Edge, Mark, Result } from './data'
import { h, num, plural } from './dom'

// basis is what the direction of an edge rests on; an edge of an older result has only compelled.
export function basis(e: Edge): Direction {
  if (!e.compelled) return 'open'
  return e.direction ?? 'unchecked'
}

// directionLevel is the confidence below which a direction is called doubtful: DirectionLevel of the Go package, which a test there compares.
export const directionLevel = 0.8

// Reason tells the kinds of doubt apart: a model that fails its checks, an edge that does not stay as it is, and a low confidence.
export type Reason = Direction | 'turned' | 'unsure'

export function reason(e: Edge): Reason {
  const d = basis(e)
  if (d !== 'doubtful') return d
  if (e.turned) return 'turned'
  return e.confidence !== undefined && e.confidence < directionLevel ? 'unsure' : d
}

// directed says that an edge is from → to, whatever its direction rests on. Only such edges have a weight and are part of paths.
export function directed(e: Pick<Edge, 'mark'> | undefined): boolean {
  return e?.mark === '-->'
}

const drawn: Record<Mark, string> = { '-->': '→', '---': '—', '<->': '↔', 'o->': '∘→', 'o--': '∘—', 'o-o': '∘—∘' }

// symbol is a mark in a line of text.
export const symbol = (m: Mark): string => ` ${drawn[m]} `

// sure says that an arrow may be drawn as a plain one: the direction is fixed under the model, whose checks passed, or told by the noise.
export function sure(e: Edge): boolean {
  return directed(e) && (basis(e) === 'model' || basis(e) === 'noise')
}

// inWords are for tables and tips. None of them says that a direction is known.
export const inWords: Record<Direction, string> = {
  open: 'open',
  model: 'under the model',
  noise: 'from the noise',
  unchecked: 'model not checked',
  doubtful: 'doubtful',
}

// gloss says what a direction rests on in a few words.
export const gloss: Record<Reason, string> = {
  open: 'open, the data fit as well with the edge turned round',
  model: 'fixed under the model, whose checks passed',
  noise: 'from the noise, which is not Gaussian',
  unchecked: 'fixed under a model that was not checked',
  doubtful: 'doubtful, the model fails its checks',
  turned: 'doubtful, a part of the rows has the edge turned round',
  unsure: `doubtful, its confidence is below ${directionLevel}`,
}

const line: Record<Reason, string> = { open: 'dashed', model: 'solid', noise: 'solid', unchecked: 'dotted', doubtful: 'dotted', turned: 'dotted', unsure: 'dotted' }

// inBrief is the gloss, to which a budget adds a second reason why an edge may be called turned.
export const inBrief = (d: Reason, budget: boolean): string => gloss[d] + (d === 'turned' && budget ? ', or the graph without a budget does not fix it' : '')

// inLegend has in front of it the line that stands for it.
export const inLegend = (d: Reason, budget: boolean): string => `${line[d]}: direction ${inBrief(d, budget)}`

// because says of one edge what its direction rests on.
export function because(e: Edge, budget: boolean): string {
  switch (reason(e)) {
    case 'open':
      return 'open: the data fit as well with the edge turned round'
    case 'model':
      return 'fixed under the model, whose checks passed'
    case 'noise':
      return `from the noise, which is not Gaussian, under a model whose checks passed${e.direction_p === undefined ? '' : `; p = ${num(e.direction_p, 2)}, corrected for the number of edges`}`
    case 'unchecked':
      return 'fixed under a model that was not checked against the rows'
    case 'doubtful':
      return 'doubtful: fixed only under a model that this table does not bear out; read the edge as an association'
    case 'turned':
      return `doubtful: a part of the rows, learned by itself, has the edge turned round${budget ? ', or the graph without a budget does not fix it' : ''}; read the edge as an association`
    case 'unsure':
      return `doubtful: the confidence of this direction is below ${directionLevel}; read the edge as an association`
  }
}

// about is for a cell of a table: what a direction rests on, or the marks of an edge that has none.
export function about(e: Edge | undefined): string {
  if (!e) return '–'
  return directed(e) ? inWords[basis(e)] : symbol(e.mark).trim()
}

// arrow draws a direction in a line of text, ahead or back.
export function arrow(e: Edge, ahead = true): string {
  if (!directed(e)) return symbol(e.mark)
  switch (basis(e)) {
    case 'open':
      return ahead ? ' ⇢ ' : ' ⇠ '
    case 'model':
    case 'noise':
      return ahead ? ' → ' : ' ← '
    default:
      return ahead ? ' →? ' : ' ?← '
  }
}

// says counts the directions by what they rest on, and edges without one by their marks.
export function says(r: Result, marks: Record<Mark, string>): string {
  const count = (d: Reason) => r.edges.filter((e) => directed(e) && reason(e) === d).length
  const parts: string[] = []
  const add = (d: Reason, text: string) => {
    if (count(d) > 0) parts.push(`${count(d)} ${text}`)
  }
  add('model', 'fixed under the model, whose checks passed')
  add('noise', 'from the noise, which is not Gaussian, under a model whose checks passed')
  add('open', 'open: graphs that fit as well have them turned round')
  add('unchecked', 'fixed under a model that was not checked against the rows')
  add('doubtful', 'doubtful: fixed only under a model that this table does not bear out; read these edges as associations')
  add('turned', `doubtful: a part of the rows has them turned round${r.budget ? ', or the graph without a budget does not fix them' : ''}; read these edges as associations`)
  add('unsure', `doubtful: their confidence is below ${directionLevel}; read these edges as associations`)
  for (const m of Object.keys(marks) as Mark[]) {
    const n = r.edges.filter((e) => e.mark === m).length
    if (n > 0 && m !== '-->') parts.push(`${n}${symbol(m)}${marks[m]}`)
  }
  return parts.length === 0 ? '' : `Directions: ${parts.join('; ')}.`
}

const verdicts: Record<Assumption['verdict'], string> = {
  holds_up: 'holds up',
  fails: 'fails',
  not_checked: 'not checked',
  not_checkable: 'not checkable',
}

// badges are one word for each assumption that fails or was not checked, for warnings and for a run that ended early, each a way
// to the tab that has the whole of it; none where there is nothing to warn of.
export function badges(r: Result, open: (tab: string) => void): HTMLElement | undefined {
  const items: HTMLElement[] = []
  const badge = (kind: string, text: string, title: string, tab: string) =>
    items.push(h('li', { class: kind, title }, h('button', { type: 'button', click: () => open(tab) }, text)))
  if (!['converged', 'completed'].includes(r.status)) badge('fails', `ended early: ${r.status.replace('_', ' ')}`, r.cause ?? '', 'run')
  for (const a of r.assumptions ?? []) {
    if (a.verdict === 'fails' || a.verdict === 'not_checked') badge(a.verdict, `${verdicts[a.verdict]}: ${a.statement}`, a.sentence, 'data')
  }
  const said = [...(r.warnings ?? []), ...(r.preflight ?? []).filter((f) => f.severity !== 'note').map((f) => f.sentence)]
  if (said.length > 0) badge('fails', plural(said.length, 'warning'), said.join('\n'), 'data')
  return items.length === 0 ? undefined : h('ul', { class: 'badges', 'aria-label': 'Warnings' }, items)
}

// assumptions lists all of them with what speaks for and against each.
export function assumptions(r: Result): Node[] {
  const list = r.assumptions ?? []
  const head = h('h3', {}, 'What the model assumes')
  if (list.length === 0) return [head, h('p', { class: 'dim' }, 'Nothing was checked for this result.')]
  return [
    head,
    ...list.map((a) =>
      h(
        'div',
        { class: `finding ${a.verdict === 'fails' ? 'warning' : 'note'}` },
        h('p', {}, h('strong', {}, `${a.statement}: ${verdicts[a.verdict]}. `), a.sentence, '.'),
        (a.evidence ?? []).map((f) => f.way_out !== '' && h('p', {}, 'What to do: ', f.way_out)),
      ),
    ),
  ]
}
