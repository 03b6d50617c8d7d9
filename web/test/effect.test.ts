import { expect, test } from 'vitest'
import type { Edge, Node } from '../src/data'
import { Graph } from '../src/graph'
import { setting } from '../src/effect'

const edge = (from: string, to: string, weight: number): Edge => ({ from, to, mark: '-->', weight, standardized: weight, compelled: true })
const node = (name: string, mean: number, residual_variance: number): Node => ({ name, mean, std: 1, residual_variance, r2: 0 })

// S → A, S → B, A → M → B, A → B, in closed form: the total is 2·3 + 0.5, and S and M vary where A is set.
test('a setting by hand', () => {
  const names = ['A', 'B', 'M', 'S']
  const g = new Graph(names, [edge('S', 'A', 1), edge('S', 'B', 1), edge('A', 'M', 2), edge('M', 'B', 3), edge('A', 'B', 0.5)])
  const nodes = [node('A', 1, 1), node('B', 2, 4), node('M', 0, 9), node('S', 0, 16)]
  const s = setting(g, nodes, 1000, 0, 1, [2])!
  expect(s.mean(3)).toBeCloseTo(2 + 6.5 * 2, 9)
  expect(s.std ** 2).toBeCloseTo(16 + 9 * 9 + 4, 9)
  expect(s.through).toEqual([{ v: 2, effect: 6 }])
  expect((s.low + s.high) / 2).toBeCloseTo(6.5, 9)
  // The weight of A → M has variance 9/(998·17), 17 that of A, and counts 3². Those into B count 1 for A, 2 for M and 0 for S; with S⁻¹ the
  // inverse covariance of the three their variance is 4/996·gᵀ·S⁻¹·g, which is the sum over noises of (own - causes)²/variance.
  const [a, m, v] = [1, 2, 0]
  const quadratic = v ** 2 / 16 + (a - v) ** 2 / 1 + (m - 2 * a) ** 2 / 9
  expect(((s.high - s.low) / 2 / 1.6448536269514722) ** 2).toBeCloseTo((9 * 9) / (998 * 17) + (4 / 996) * quadratic, 9)
})

test('without means and variances nothing is said', () => {
  const g = new Graph(['A', 'B'], [edge('A', 'B', 1)])
  expect(setting(g, [], 100, 0, 1, [])).toBeUndefined()
  expect(setting(g, [node('A', 0, 1), node('B', 0, 1)], 2, 0, 1, [])).toBeUndefined()
})
