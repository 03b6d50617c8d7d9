import { expect, test } from 'vitest'
import { findMatch } from '../src/panel/pairs'
import type { Match } from '../src/panel/pictures'

test('pairs belong to a result, a cause and an adjustment set in any order', () => {
  const match = (result: number, cause: string, set: string[]) => ({ result, cause, set, outcomes: [], pairs: [], rows: 0, compared: 0 }) as Match
  const all = [match(0, 'a', []), match(0, 'a', ['b', 'c']), match(1, 'a', ['b', 'c'])]
  expect(findMatch(all, 0, 'a', [])).toBe(all[0])
  expect(findMatch(all, 1, 'a', ['c', 'b'])).toBe(all[2])
  expect(findMatch(all, 0, 'a', ['b'])).toBeUndefined()
  expect(findMatch(all, 0, 'b', [])).toBeUndefined()
})
