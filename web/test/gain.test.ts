import { expect, test } from 'vitest'
import { num, signed } from '../src/dom'
import type { Edge, Effect } from '../src/data'
import { bits, bitsOf, label, sign, size, sizeOf, sloped } from '../src/gain'
import type { Result } from '../src/data'

const edge = (some: Partial<Edge>): Edge => ({ from: 'a', to: 'b', mark: '-->', weight: 0, standardized: 0, compelled: true, ...some })
const table = (p: number[][], from = ['0', '1'], to = ['0', '1']): Effect => ({ form: 'table', from_levels: from, to_levels: to, p })

test('size goes by gain alone, whatever the weight', () => {
  expect(size(edge({ gain: 0.2, weight: 5, standardized: 0.9 }))).toBe(size(edge({ gain: 0.2 })))
  expect(size(edge({ gain: 0.2 }))).toBeGreaterThan(size(edge({ gain: 0.1, standardized: 0.99 })))
  expect(size(edge({ gain: -0.1, standardized: 0.9 }))).toBe(0)
  expect(size(undefined)).toBe(0)
  // The correlation of two Gaussian columns with that mutual information: I = -log2(1 - r²)/2.
  expect(sizeOf(-Math.log2(1 - 0.6 ** 2) / 2)).toBeCloseTo(0.6, 12)
  expect(bitsOf(sizeOf(0.3))).toBeCloseTo(0.3, 12)
})

test('a result without gains goes by its standardized weights', () => {
  expect(size(edge({ standardized: -0.4 }))).toBe(0.4)
  expect(size(edge({ standardized: 1.7 }))).toBe(1)
  expect(bits(edge({ standardized: 1.7 }))).toBe(8)
  expect(label(edge({ weight: 2, standardized: -0.4 }))).toBe('−0.4')
  expect(label(edge({ gain: 0.0123 }))).toBe('0.012 bit')
})

test('two levels have no slope: their number is the gain, with the sign', () => {
  expect(label(edge({ gain: 0.4, effect: table([[0.9, 0.1], [0.2, 0.8]]) }))).toBe('0.4 bit (+)')
  expect(label(edge({ gain: 0.4, effect: table([[0.1, 0.9], [0.8, 0.2]]) }))).toBe('0.4 bit (−)')
  expect(label(edge({ gain: 0.4, effect: table([[0.1, 0.9], [0.8, 0.2]], ['no', 'yes']) }))).toBe('0.4 bit')
})

test('a sign needs a slope, or two levels that are numbers', () => {
  expect(sign(edge({ weight: -2, effect: table([[0.9, 0.1], [0.2, 0.8]]) }))).toBe(-1)
  expect(sign(edge({ effect: table([[0.9, 0.1], [0.2, 0.8]]) }))).toBe(1)
  expect(sign(edge({ effect: table([[0.2, 0.8], [0.9, 0.1]], ['-1', '1']) }))).toBe(-1)
  expect(sign(edge({ effect: table([[0.2, 0.8], [0.9, 0.1]], ['no', 'yes']) }))).toBe(0)
  expect(sign(edge({ weight: 2, effect: table([[0.2, 0.8], [0.9, 0.1]], ['no', 'yes']) }))).toBe(0)
  expect(sign(edge({ effect: { form: 'means', from_levels: ['0', '1'], y: [3, 5] } }))).toBe(1)
  expect(sign(edge({}))).toBe(0)
  const bow: Effect = { form: 'curve', x: [0, 1, 2, 3, 9], y: [0, 3, 5, 1, 90], low: 0, high: 3 }
  expect(sign(edge({ weight: 1, effect: bow }))).toBe(0)
  expect(sign(edge({ weight: 1, effect: { ...bow, high: 9 } }))).toBe(1)
})

test('only lines add up', () => {
  expect(['linear', undefined, 'smooth', 'mixed', 'discrete'].map((model) => sloped({ model } as Result))).toEqual([true, true, false, false, false])
})

test('a number that is 0 but for rounding is shown as 0', () => {
  expect([-4.27e-17, 4.27e-17, 0, 2.5e-6, -0.25].map((v) => num(v))).toEqual(['0', '0', '0', '2.50e−6', '−0.25'])
  expect([-4.27e-17, 4.27e-17, 0.5].map((v) => signed(v))).toEqual(['0', '0', '+0.5'])
})
