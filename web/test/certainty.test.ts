import { expect, test } from 'vitest'
import { about, arrow, basisOf, denied, directed, directionSaid, drawnMark, inBrief, inLegend, probability, reverse, reversible, says, sure, verdicts } from '../src/certainty'
import { definition, statedLevel } from '../src/terms'
import type { Edge, Mark, Result, Verdict } from '../src/data'
import { verdictDash } from '../src/palette'

const edge = (verdict?: Verdict, mark: Mark = '-->'): Edge => ({
  from: 'a', to: 'b', mark, weight: 1, standardized: 1, compelled: true,
  ...(verdict && { verdict, confidence: 0.9, p_adjacent: 0.95, p_direction: 0.6 }),
})

test('only a directed edge, or one of a given graph, is drawn with a head, and only a weak one dotted', () => {
  const cases: [Verdict | undefined, string, string, Mark][] = [
    ['directed', ' → ', ' ← ', '-->'],
    ['undirected', ' — ', ' — ', '---'],
    ['weak', ' ? ', ' ? ', '---'],
    [undefined, ' → ', ' ← ', '-->'],
  ]
  for (const [verdict, ahead, back, mark] of cases) {
    const e = edge(verdict)
    expect(directed(e)).toBe(true)
    expect(drawnMark(e)).toBe(mark)
    expect(sure(e)).toBe(mark === '-->')
    expect(arrow(e)).toBe(ahead)
    expect(arrow(e, false)).toBe(back)
  }
  expect(Object.keys(verdictDash)).toEqual(['weak'])
})

const words = { '-->': 'a', '---': 'either direction', '<->': 'c', 'o->': 'd', 'o--': 'e', 'o-o': 'f' }

test('an edge without a direction is drawn by its marks and never as sure', () => {
  for (const [mark, drawn] of [['---', ' — '], ['<->', ' ↔ '], ['o->', ' ∘→ '], ['o--', ' ∘— '], ['o-o', ' ∘—∘ ']] as const) {
    const e = edge('undirected', mark)
    expect(directed(e)).toBe(false)
    expect(sure(e)).toBe(false)
    expect(arrow(e)).toBe(drawn)
    expect(about(e)).toBe(mark === '---' ? 'undirected' : `undirected ${drawn.trim()}`)
  }
  expect(arrow(edge('weak', '---'))).toBe(' ? ')
  expect(about(edge('directed'))).toBe('directed')
  expect(about(undefined)).toBe('–')
})

test('edges are counted by verdict, and marks of a PAG beside them', () => {
  const r = { edges: [edge('directed'), edge('undirected'), edge('undirected', '---'), edge('weak'), edge('undirected', 'o->')] } as Result
  expect(says(r, words)).toBe('1 directed, 3 undirected, 1 weak. 1 ∘→ d.')
  expect(says({ edges: [edge()] } as Result, words)).toBe('')
})

test('the tip has the verdict with its confidence, and the legend its line', () => {
  expect(inBrief(edge('directed'))).toBe('directed, confidence 0.90')
  expect(inBrief(edge('undirected'))).toBe('undirected, confidence 0.90, probability of this direction 0.60')
  expect(inBrief(edge('undirected', '---'))).toBe('undirected, confidence 0.90')
  expect(inBrief(edge('weak'))).toBe('weak, confidence 0.90')
  expect(inBrief(edge())).toBe('not learned')
  for (const v of verdicts) {
    expect(inLegend[v]).toContain(v)
    expect(definition[v]).toContain(String(statedLevel))
  }
})

test('a failed check says what is wrong', () => {
  expect(denied('rows are independent')).toBe('rows are not independent')
  expect(denied('the noise is Gaussian')).toBe('the noise is not Gaussian')
  expect(denied('no feedback')).toBe('in doubt: no feedback')
})

test('the direction has its probability and its source, or is given', () => {
  const of = (verdict: Verdict, basis: Edge['basis'], yours = true) => directionSaid({ ...edge(verdict), ...(basis && { basis }) }, yours)
  expect(of('directed', 'model')).toBe('0.60 (from the data)')
  expect(of('undirected', 'rule')).toBe('a → b: 0.60 (from rules about real tables)')
  expect(of('directed', undefined)).toBe('0.60')
  expect(of('weak', 'knowledge')).toBe('you said so')
  expect(of('directed', 'knowledge', false)).toBe('given by prior knowledge')
})

test('only a stated direction has a basis, in one word', () => {
  const of = (verdict: Verdict, basis: Edge['basis'], lag?: number) => basisOf({ ...edge(verdict), ...(basis && { basis }), ...(lag !== undefined && { lag }) })
  expect((['knowledge', 'prior', 'knowledge_and_model', 'names', 'model', 'model_and_rule', 'rule'] as const).map((b) => of('directed', b))).toEqual(['you', 'you', 'model', 'names', 'model', 'rules', 'rules'])
  expect([of('undirected', 'names'), of('weak', 'names'), of('directed', undefined), basisOf(undefined)]).toEqual(['', '', '', ''])
  expect(of('directed', 'knowledge', 2)).toBe('time')
  expect(inBrief({ ...edge('directed'), basis: 'names' })).toBe('directed, confidence 0.90, basis names')
})

test('a hidden common cause leaves less for the opposite direction', () => {
  expect(reverse(edge('directed'))).toBeCloseTo(0.4)
  expect(reverse({ ...edge('directed'), evidence: [{ source: 'class', log_odds: 1, text: 'x' }, { source: 'hidden_cause', p: 0.3, text: 'y' }] })).toBeCloseTo(0.1)
  expect(reverse({ ...edge('directed'), evidence: [{ source: 'hidden_cause', p: 0.9, text: 'y' }] })).toBe(0)
})

test('an edge whose direction is stated or known is not reversible', () => {
  expect([edge('directed'), edge('weak'), edge('undirected'), { ...edge('weak'), basis: 'knowledge' as const }].map(reversible)).toEqual([false, true, true, false])
})

test('a probability that is not 1 is never shown as 1', () => {
  expect([0.999, 1, 0.994, 0, undefined].map(probability)).toEqual(['> 0.99', '1.00', '0.99', '0.00', '–'])
})
