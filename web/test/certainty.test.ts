import { expect, test } from 'vitest'
import { about, arrow, basis, directed, inLegend, inWords, says, sure } from '../src/certainty'
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
  for (const text of [...Object.values(inWords), ...Object.values(inLegend)]) expect(text).not.toMatch(/certain|known|drives|^fixed$/)
  const r = { edges: [edge(true, 'doubtful'), edge(true, 'doubtful'), edge(false, 'open')] } as Result
  expect(says(r, words)).toBe('Directions: 1 open: graphs that fit as well have them turned round; 2 doubtful: fixed only under a model that this table does not bear out; read these edges as associations.')
})
