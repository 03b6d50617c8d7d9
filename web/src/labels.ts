import type { Point } from './layout'

export type Box = [x1: number, y1: number, x2: number, y2: number]

export const meets = (a: Box, b: Box): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]

export interface Wanted {
  line: number // index into lines
  w: number
  h: number
}

// placeLabels finds a place beside its line for each label, one that meets no line, no box and no other label. A label without a free place is
// left out: its number stands in the panel. Labels come in the order of their importance.
export function placeLabels(lines: Point[][], boxes: Box[], wanted: Wanted[]): Map<number, Point> {
  const cell = 40
  const grid = new Map<string, Point[]>()
  lines.forEach((line) => {
    for (let i = 0; i + 1 < line.length; i++) {
      const [a, b] = [line[i]!, line[i + 1]!]
      const steps = Math.max(1, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 5))
      for (let k = 0; k <= steps; k++) {
        const p: Point = [a[0] + ((b[0] - a[0]) * k) / steps, a[1] + ((b[1] - a[1]) * k) / steps]
        const key = `${Math.floor(p[0] / cell)} ${Math.floor(p[1] / cell)}`
        const list = grid.get(key)
        if (list) list.push(p)
        else grid.set(key, [p])
      }
    }
  })
  const crossed = (b: Box): boolean => {
    for (let i = Math.floor(b[0] / cell); i <= Math.floor(b[2] / cell); i++) {
      for (let j = Math.floor(b[1] / cell); j <= Math.floor(b[3] / cell); j++) {
        if (grid.get(`${i} ${j}`)?.some(([x, y]) => x > b[0] && x < b[2] && y > b[1] && y < b[3])) return true
      }
    }
    return false
  }
  const taken = [...boxes]
  const out = new Map<number, Point>()
  for (const { line, w, h } of wanted) {
    const points = lines[line]!
    const at = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1]
    search: for (const t of at) {
      const k = Math.min(points.length - 2, Math.max(0, Math.round(t * (points.length - 1))))
      const [p, q] = [points[k]!, points[k + 1]!]
      if (!p || !q) break
      const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1
      const normal: Point = [-(q[1] - p[1]) / length, (q[0] - p[0]) / length]
      for (const side of [-1, 1]) {
        const far = (Math.abs(normal[0]) * w) / 2 + (Math.abs(normal[1]) * h) / 2 + 5
        const c: Point = [p[0] + side * normal[0] * far, p[1] + side * normal[1] * far]
        const box: Box = [c[0] - w / 2, c[1] - h / 2, c[0] + w / 2, c[1] + h / 2]
        if (taken.some((b) => meets(b, box)) || crossed(box)) continue
        taken.push(box)
        out.set(line, c)
        break search
      }
    }
  }
  return out
}
