import type { Edge, Effect, Result } from './data'
import { num, signed } from './dom'

// size maps the score gain of an edge to 0–1, as Edge.Size in Go: the correlation of two Gaussian columns with that mutual information.
// Older results have no score gains; there it is the absolute standardized weight.
export function size(e: Edge | undefined): number {
  if (!e) return 0
  if (!e.gain) return Math.min(Math.abs(e.standardized), 1)
  return sizeOf(e.gain)
}

export const sizeOf = (bits: number): number => Math.sqrt(Math.max(0, -Math.expm1(-2 * Math.LN2 * bits)))

// bitsOf inverts sizeOf. It returns at most 8 bits.
export const bitsOf = (size: number): number => Math.min(-Math.log1p(-size * size) / (2 * Math.LN2), 8)

export const bits = (e: Edge): number => e.gain || bitsOf(size(e))

// sign is 1 where the child tends to be larger with the parent and -1 where it tends to be smaller, by the weight or by two levels
// that are numbers; 0 for categories in words, which have no order, and for a curve that comes back more than half of the way. It is
// Edge.Sign in Go.
export function sign(e: Edge | undefined): number {
  if (!e) return 0
  const f = e.effect
  if (f && ((f.form === 'curve' && turns(f)) || (!f.x && inWords(f.from_levels)) || inWords(f.to_levels))) return 0
  const slope = e.weight || e.standardized
  if (slope !== 0) return Math.sign(slope)
  if (!f || !ascends(f.from_levels)) return 0
  if (f.form === 'table' && ascends(f.to_levels)) return Math.sign(f.p![1]![1]! - f.p![0]![1]!)
  if (f.form === 'means') return Math.sign(f.y![1]! - f.y![0]!)
  return 0
}

// turns says that a curve ends, where most rows are, less than half of its height from where it began.
function turns(f: Effect): boolean {
  const y = f.y!.filter((_, k) => f.low === undefined || (f.x![k]! >= f.low && f.x![k]! <= f.high!))
  return y.length > 1 && Math.abs(y.at(-1)! - y[0]!) < (Math.max(...y) - Math.min(...y)) / 2
}

const inWords = (levels: string[] | undefined): boolean => (levels ?? []).some((l) => l.trim() === '' || Number.isNaN(Number(l)))

function ascends(levels: string[] | undefined): boolean {
  if (levels?.length !== 2) return false
  const [a, b] = levels.map((l) => (l.trim() === '' ? NaN : Number(l)))
  return a! < b!
}

export const signClass = (e: Edge | undefined): 'plus' | 'minus' | 'level' => {
  const s = sign(e)
  return s < 0 ? 'minus' : s > 0 ? 'plus' : 'level'
}

// sloped says that every effect is a slope, so that weights multiply along paths and add up over them.
export const sloped = (r: Result): boolean => r.model === undefined || r.model === 'linear'

// label is the number on an edge: the standardized weight or, for an effect without a slope, the score gain, followed by the sign of a
// two-category effect.
export function label(e: Edge): string {
  const s = sign(e)
  if (!e.gain || (s !== 0 && e.standardized !== 0)) return signed(e.standardized, 2)
  return `${num(e.gain, 2)} bit${s > 0 ? ' (+)' : s < 0 ? ' (−)' : ''}`
}
