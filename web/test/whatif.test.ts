import { expect, test } from 'vitest'
import type { Edge } from '../src/data'
import { reachable } from '../src/panel/whatif'

const edge = (from: string, to: string, verdict: Edge['verdict']) => ({ from, to, mark: '-->', weight: 1, standardized: 1, compelled: true, verdict }) as Edge

test('an intervention may go both ways along an edge without a stated direction', () => {
  const index = new Map(['a', 'b', 'c', 'd', 'e'].map((n, k) => [n, k]))
  const edges = [edge('a', 'b', 'undirected'), edge('b', 'c', 'directed'), edge('d', 'c', 'directed'), edge('e', 'a', 'weak')]
  expect(reachable({ edges }, index, 1)).toEqual([0, 2, 4]) // against a — b and e ? a, along b → c
  expect(reachable({ edges }, index, 2)).toEqual([])
  expect(reachable({ edges: [edge('a', 'b', undefined)] }, index, 1)).toEqual([])
})
