import { expect, test } from 'vitest'
import { arrow, basis, inLegend, inWords, says, sure } from '../src/certainty'
import type { Direction, Edge, Result } from '../src/data'
import { directionDash } from '../src/palette'

const edge = (compelled: boolean, direction?: Direction): Edge => ({ from: 'a', to: 'b', weight: 1, standardized: 1, compelled, ...(direction && { direction }) })

test('only a model whose checks passed is drawn as a plain arrow', () => {
  const cases: [Edge, Direction, string][] = [
    [edge(true, 'model'), 'model', ' → '],
    [edge(false, 'open'), 'open', ' ⇢ '],
    [edge(true, 'doubtful'), 'doubtful', ' →? '],
    [edge(true, 'unchecked'), 'unchecked', ' →? '],
    [edge(true), 'unchecked', ' →? '],
    [edge(false), 'open', ' ⇢ '],
  ]
  for (const [e, want, drawn] of cases) {
    expect(basis(e)).toBe(want)
    expect(arrow(e)).toBe(drawn)
    expect(sure(e)).toBe(want === 'model')
    expect(directionDash[want] === undefined).toBe(want === 'model')
  }
})

test('no words call a direction certain', () => {
  for (const text of [...Object.values(inWords), ...Object.values(inLegend)]) expect(text).not.toMatch(/certain|known|drives|^fixed$/)
  const r = { edges: [edge(true, 'doubtful'), edge(true, 'doubtful'), edge(false, 'open')] } as Result
  expect(says(r)).toBe('Directions: 1 open: graphs that fit as well have them turned round; 2 doubtful: fixed only under a model that this table does not bear out; read these edges as associations.')
})
