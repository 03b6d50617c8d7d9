import { swatch } from './canvas'
import { arrow, basisOf, directed, probability, sure } from './certainty'
import type { Mark, Page } from './data'
import { bdi, h, num } from './dom'
import { bits, sign, signClass } from './gain'
import { definition, restsOn } from './terms'
import { endMarks, lagsOf, word, type EdgeView, type View } from './view'

// aboutLine explains the line that is pointed at: what it says, and what its looks mean.
export function aboutLine(e: EdgeView, names: string[], marks: Record<Mark, string>): Node[] {
  const edge = e.edge
  if (!edge) return [h('b', {}, bdi(names[e.from]!, 24), ' → ', bdi(names[e.to]!, 24)), h('span', {}, 'in the truth only')]
  const s = sign(edge)
  const basis = basisOf(edge)
  const lines: (string | false)[] = [
    edge.verdict === 'directed' ? `arrow: the direction is stated, probability ${probability(edge.confidence)}` : edge.verdict === 'undirected' ? `plain line: linked, direction open, probability ${probability(edge.confidence)}` : edge.verdict === 'weak' ? `dotted: the link itself may be chance, probability ${probability(edge.confidence)}` : marks[edge.mark] ?? '',
    directed(edge) && (edge.verdict === undefined || sure(edge)) && (s > 0 ? 'blue, filled head: more of it, more of the other' : s < 0 ? 'orange, hollow head: more of it, less of the other' : 'violet: no common direction'),
    edge.gain !== undefined && edge.gain > 0 && `width: score gain, ${num(bits(edge), 2)} bits per row`,
    basis !== '' && `${basis === 'you' ? 'square: you said so' : basis === 'names' ? 'ring: rests on names' : basis === 'rules' ? 'diamond: rests on rules' : basis === 'time' ? `time: ${lagsOf(e)}` : `no mark: rests on ${edge.basis ? restsOn[edge.basis] : 'the model'}`}`,
    !['plain', 'both', 'right'].includes(e.standing) && word[e.standing],
  ]
  return [h('b', {}, bdi(edge.from, 24), arrow(edge), bdi(edge.to, 24)), ...lines.filter((t): t is string => typeof t === 'string' && t !== '').map((t) => h('span', {}, t)), h('small', {}, 'Click for the evidence.')]
}

// legend lists what lines and marks mean, those that occur.
export function legend(view: View, edges: EdgeView[], page: Page): HTMLElement {
  const item = (mark: Node, text: string, title?: string) => h('li', { title }, mark, text)
  const has = (f: (e: EdgeView) => boolean) => edges.some(f)
  const out: HTMLElement[] = []
  if (view.kind !== 'result') {
    const said: Record<string, string> = { right: 'right', reversed: 'reversed: the other way in the truth', missing: 'missing: in the truth only', extra: 'extra: not in the truth', unoriented: 'linked in the truth, direction open here', both: 'in both', turned: 'in both, not the same way', only_first: 'only in A', only_second: 'only in B' }
    for (const [s, text] of Object.entries(said)) {
      const n = edges.filter((e) => e.standing === s).length
      if (n > 0) out.push(item(swatch(s, s === 'unoriented' ? '---' : '-->'), `${text} (${n})`))
    }
  } else {
    if (has((e) => directed(e.edge) && signClass(e.edge) === 'plus')) out.push(item(swatch('plain plus directed'), 'raises'))
    if (has((e) => directed(e.edge) && signClass(e.edge) === 'minus')) out.push(item(swatch('plain minus directed'), 'lowers'))
    if (has((e) => directed(e.edge) && signClass(e.edge) === 'level')) out.push(item(swatch('plain level directed'), 'changes, without a sign'))
    if (has((e) => e.edge?.verdict === 'undirected')) out.push(item(swatch('plain bare undirected', '---'), 'linked, direction open', definition.undirected))
    if (has((e) => e.edge?.verdict === 'weak')) out.push(item(swatch('plain bare weak', '---'), 'may be chance', definition.weak))
    for (const [basis, text] of [['you', 'you said so'], ['names', 'rests on names'], ['rules', 'rests on rules']] as const) {
      if (has((e) => e.edge !== undefined && sure(e.edge) && basisOf(e.edge) === basis)) out.push(item(swatch('plain bare', '---', basis), text))
    }
  }
  for (const [mark, words] of Object.entries(page.marks) as [Mark, string][]) {
    if (mark !== '-->' && mark !== '---' && has((e) => endMarks(e) === mark && e.standing !== 'turned')) out.push(item(h('span', { class: 'mark' }, mark.replace('-->', '→').replaceAll('o', '∘').replaceAll('-', '–')), words))
  }
  out.push(item(h('span', { class: 'mark' }, 'width'), 'score gain'))
  return h('ul', { class: 'legend', 'aria-label': 'Legend' }, out)
}
