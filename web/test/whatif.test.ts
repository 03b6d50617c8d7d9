import { expect, test } from 'vitest'
import type { Edge, Node } from '../src/data'
import { nearest, reachable, sharesBefore } from '../src/panel/whatif'

const edge = (from: string, to: string, verdict: Edge['verdict']) => ({ from, to, mark: '-->', weight: 1, standardized: 1, compelled: true, verdict }) as Edge

test('an intervention may go both ways along an edge without a stated direction', () => {
  const index = new Map(['a', 'b', 'c', 'd', 'e'].map((n, k) => [n, k]))
  const edges = [edge('a', 'b', 'undirected'), edge('b', 'c', 'directed'), edge('d', 'c', 'directed'), edge('e', 'a', 'weak')]
  expect(reachable({ edges }, index, 1)).toEqual([0, 2, 4]) // against a — b and e ? a, along b → c
  expect(reachable({ edges }, index, 2)).toEqual([])
  expect(reachable({ edges: [edge('a', 'b', undefined)] }, index, 1)).toEqual([])
})

test('a prediction begins near the mean, or in the middle', () => {
  expect(nearest([44, 99, 117, 140, 181], 120.9)).toBe(2)
  expect(nearest([1, 2, 3, 4], undefined)).toBe(1)
})

test('the share of a category in the table comes from the counts of an edge, or from the mean of two', () => {
  const nodes = [{ name: 'b', kind: 'binary', mean: 0.35 }] as Node[]
  const levels = ['0', '1']
  const into = { ...edge('a', 'b', 'directed'), effect: { form: 'table', to_levels: levels, counts: [[1, 2], [5, 2]] } } as Edge
  const out = { ...edge('b', 'c', 'directed'), effect: { form: 'means', from_levels: levels, rows: [3, 1] } } as Edge
  expect(sharesBefore({ edges: [into], nodes }, 'b', levels)).toEqual([0.6, 0.4])
  expect(sharesBefore({ edges: [out], nodes }, 'b', levels)).toEqual([0.75, 0.25])
  expect(sharesBefore({ edges: [], nodes }, 'b', levels)).toEqual([0.65, 0.35])
  expect(sharesBefore({ edges: [into], nodes }, 'b', ['0', '1', '2'])).toBeUndefined()
})
