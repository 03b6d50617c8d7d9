import { expect, test } from 'vitest'
import { residuals } from '../src/panel/doubt'

test('residuals are what least squares leaves, and a row with a missing value has none', () => {
  const x = [1, 2, 3, 4, 5, NaN]
  const noise = [1, -1, 0, -1, 1, 0] // orthogonal to 1 and to x
  const y = x.map((v, i) => 3 + 2 * v + noise[i]!)
  const left = residuals(y, [x])
  noise.slice(0, 5).forEach((e, i) => expect(left[i]).toBeCloseTo(e, 6))
  expect(left[5]).toBeNaN()
  // A column that repeats another one changes nothing, and without causes the mean is taken away.
  residuals(y, [x, x]).slice(0, 5).forEach((e, i) => expect(e).toBeCloseTo(noise[i]!, 4))
  expect(residuals([1, 2, 6], [])).toEqual([-2, -1, 3])
})
