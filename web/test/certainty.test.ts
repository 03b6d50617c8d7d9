import { expect, test } from 'vitest'
import { about, arrow, basis, because, directed, directionLevel, gloss, inLegend, inWords, reason, says, sure, type Reason } from '../src/certainty'
import type { Direction, Edge, Result } from '../src/data'
import { directionDash } from '../src/palette'

const edge = (compelled: boolean, direction?: Direction): Edge => ({ from: 'a', to: 'b', mark: '-->', weight: 1, standardized: 1, compelled, ...(direction && { direction }) })

test('only a model whose checks passed, or the noise, is drawn as a plain arrow', () => {
  const cases: [Edge, Direction, string][] = [
    [edge(true, 'model'), 'model', ' → '],
    [edge(false, 'open'), 'open', ' ⇢ '],
    [edge(true, 'noise'), 'noise', ' → '],
    [edge(true, 'doubtful'), 'doubtful', ' →? '],
    [edge(true, 'unchecked'), 'unchecked', ' →? '],
    [edge(true), 'unchecked', ' →? '],
    [edge(false), 'open', ' ⇢ '],
  ]
  for (const [e, want, drawn] of cases) {
    expect(basis(e)).toBe(want)
    expect(arrow(e)).toBe(drawn)
    expect(sure(e)).toBe(want === 'model' || want === 'noise')
    expect(directionDash[want] === undefined).toBe(want === 'model' || want === 'noise')
  }
})

const words = { '-->': 'a', '---': 'either way', '<->': 'c', 'o->': 'd', 'o--': 'e', 'o-o': 'f' }

test('an edge without a direction is drawn by its marks and never as sure', () => {
  for (const [mark, drawn] of [['---', ' — '], ['<->', ' ↔ '], ['o->', ' ∘→ '], ['o--', ' ∘— '], ['o-o', ' ∘—∘ ']] as const) {
    const e: Edge = { ...edge(true, 'model'), mark }
    expect(directed(e)).toBe(false)
    expect(sure(e)).toBe(false)
    expect(arrow(e)).toBe(drawn)
    expect(about(e)).toBe(drawn.trim())
  }
  expect(about(edge(true, 'model'))).toBe('under the model')
  expect(about(undefined)).toBe('–')
  const r = { edges: [edge(true, 'model'), { ...edge(false), mark: '---' }] } as Result
  expect(says(r, words)).toBe('Directions: 1 fixed under the model, whose checks passed; 1 — either way.')
})

test('no words call a direction certain', () => {
  for (const text of [...Object.values(inWords), ...Object.values(gloss)]) expect(text).not.toMatch(/certain|known|drives|^fixed$/)
  const r = { edges: [edge(true, 'doubtful'), edge(true, 'doubtful'), edge(false, 'open')] } as Result
  expect(says(r, words)).toBe('Directions: 1 open: graphs that fit as well have them turned round; 2 doubtful: fixed only under a model that this table does not bear out; read these edges as associations.')
})

test('an edge that a part of the rows has turned round is not said to be doubtful by its model', () => {
  const turned: Edge = { ...edge(true, 'doubtful'), turned: true }
  const r = { edges: [turned, edge(true, 'doubtful')] } as Result
  expect(reason(turned)).toBe('turned')
  expect(reason({ ...edge(true, 'doubtful'), confidence: directionLevel - 0.1 })).toBe('unsure')
  expect(reason({ ...edge(true, 'doubtful'), confidence: directionLevel })).toBe('doubtful')
  expect(reason({ ...edge(true, 'model'), turned: false })).toBe('model')
  expect(says(r, words)).toBe('Directions: 1 doubtful: fixed only under a model that this table does not bear out; read these edges as associations; 1 doubtful: a part of the rows has them turned round; read these edges as associations.')
  expect(inLegend('turned', false)).toBe('dotted: direction doubtful, a part of the rows has the edge turned round')
  expect(inLegend('turned', true)).toMatch(/or the graph without a budget does not fix it$/)
  expect(because(turned, false)).toMatch(/^doubtful: a part of the rows, learned by itself, has the edge turned round; read/)
  expect(because(turned, false)).not.toContain('budget')
  expect(because(edge(true, 'doubtful'), true)).toMatch(/^doubtful: fixed only under a model/)
  expect(because({ ...edge(true, 'noise'), direction_p: 0.0012 }, false)).toContain('p = 0.0012')
  for (const d of Object.keys(gloss) as Reason[]) expect(inLegend(d, false)).toContain(gloss[d])
})
