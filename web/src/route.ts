import type { Route } from './data'

export interface Polyline {
  start: [number, number]
  end: [number, number]
  inner: [number, number][]
}

// sample turns joined cubic Bézier curves into a line of short pieces: each curve gives `pieces` of them. Reversed: from end to
// start. Undefined means a straight line.
export function sample(route: Route, reversed: boolean, pieces: number): Polyline | undefined {
  const p = route.points
  if (!p || p.length < 8) return undefined
  const all: [number, number][] = [[p[0]!, p[1]!]]
  for (let k = 0; k + 7 < p.length; k += 6) {
    for (let s = 1; s <= pieces; s++) {
      const t = s / pieces
      const at = (i: number) => {
        const [a, b, c, d] = [p[k + i]!, p[k + i + 2]!, p[k + i + 4]!, p[k + i + 6]!]
        const u = 1 - t
        return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d
      }
      all.push([at(0), at(1)])
    }
  }
  if (reversed) all.reverse()
  return { start: all[0]!, end: all[all.length - 1]!, inner: all.slice(1, -1) }
}

// relative expresses inner points by how far along and how far beside the straight line from start to end they lie, which is how
// the drawing library wants them. Distances are positive to the right of the line on a screen, where y grows downwards.
export function relative({ start, end, inner }: Polyline): { weights: number[]; distances: number[] } {
  const dx = end[0] - start[0]
  const dy = end[1] - start[1]
  const length = Math.hypot(dx, dy) || 1
  const round = (v: number) => Math.round(v * 1e4) / 1e4
  return {
    weights: inner.map(([x, y]) => round(((x - start[0]) * dx + (y - start[1]) * dy) / (length * length))),
    distances: inner.map(([x, y]) => round(((y - start[1]) * dx - (x - start[0]) * dy) / length)),
  }
}
