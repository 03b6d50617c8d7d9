import { expect, test } from 'vitest'
import type { Edge } from '../src/data'
import { groups } from '../src/groups'
import { inOrder } from '../src/matrix'
import type { EdgeView } from '../src/view'

const names = Array.from({ length: 30 }, (_, v) => `v${v}`)
const edge = (from: number, to: number): Edge => ({ from: names[from]!, to: names[to]!, mark: '-->', weight: 1, standardized: 1, compelled: true })

test('groups are those joined among themselves', () => {
  // Two rings of five with a weak bridge, and one node alone.
  const ring = (first: number) => [0, 1, 2, 3, 4].map((k) => ({ from: first + k, to: first + ((k + 1) % 5), weight: 1 }))
  expect(groups(11, [...ring(0), ...ring(5), { from: 0, to: 5, weight: 0.1 }])).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2])
  expect(groups(3, [])).toEqual([0, 1, 2])
})

test('rows of the matrix: causes first, in groups, by name, and nobody without an edge', () => {
  const e = (from: number, to: number, size = 1): EdgeView => ({ from, to, standing: 'plain', edge: edge(from, to), size })
  const edges = [e(3, 1), e(1, 4), e(3, 4), e(0, 2), e(4, 0, 0.05)]
  const order = ['v3', 'v1', 'v4', 'v5', 'v0', 'v2', 'v6']
  expect(inOrder(names.slice(0, 7), edges, order, 'order').vs).toEqual([3, 1, 4, 0, 2])
  expect(inOrder(names.slice(0, 7), edges, order, 'names').vs).toEqual([0, 1, 2, 3, 4])
  const { vs, group } = inOrder(names.slice(0, 7), edges, order, 'groups')
  expect(vs).toEqual([3, 1, 4, 0, 2])
  expect(group).toEqual([0, 0, 0, 1, 1])
})
