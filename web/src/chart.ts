import { h, num, svg } from './dom'

// Plane is the room of a chart: where values are, and its axes.
export interface Plane {
  W: number
  H: number
  left: number
  right: number
  top: number
  bottom: number
  x: (v: number) => number
  y: (v: number) => number
  axes: SVGElement[]
}

// plane spans the values x1 to x2 and low to high, which may be one. name is that of what goes to the right.
export function plane(x1: number, x2: number, low: number, high: number, name: string, H = 190, o: { left?: number; values?: boolean } = {}): Plane {
  const [W, left, right, top, bottom] = [340, o.left ?? 56, 10, 12, 38]
  const wide = (a: number, b: number): [number, number] => (b - a < 1e-12 * Math.max(1, Math.abs(b)) ? [a - 0.5, b + 0.5] : [a, b])
  const [a, b] = wide(x1, x2)
  const [c, d] = wide(low, high)
  const axes = [
    svg('line', { class: 'axis', x1: left, y1: H - bottom, x2: W - right, y2: H - bottom }),
    svg('line', { class: 'axis', x1: left, y1: top, x2: left, y2: H - bottom }),
    svg('text', { x: left, y: H - bottom + 14 }, num(a, 3)),
    svg('text', { x: W - right, y: H - bottom + 14, 'text-anchor': 'end' }, num(b, 3)),
    svg('text', { x: (left + W - right) / 2, y: H - 6, 'text-anchor': 'middle' }, name),
  ]
  if (o.values !== false) {
    axes.push(svg('text', { x: left - 5, y: top + 8, 'text-anchor': 'end' }, num(d, 3)), svg('text', { x: left - 5, y: H - bottom, 'text-anchor': 'end' }, num(c, 3)))
  }
  return { W, H, left, right, top, bottom, axes, x: (v) => left + ((v - a) / (b - a)) * (W - left - right), y: (v) => H - bottom - ((v - c) / (d - c)) * (H - top - bottom) }
}

// curve draws one series against steps, small. A log scale takes positive values only; others leave a gap.
export function curve(title: string, steps: number[], values: number[], log: boolean): HTMLElement | null {
  const usable = values.map((v) => Number.isFinite(v) && (!log || v > 0))
  const kept = values.filter((_, k) => usable[k])
  if (kept.length < 2) return null
  const scale = log ? Math.log10 : (v: number) => v
  let low = Math.min(...kept.map(scale))
  let high = Math.max(...kept.map(scale))
  if (high - low < 1e-12 * Math.max(1, Math.abs(high))) {
    low -= 0.5
    high += 0.5
  }
  const [W, H, left, right, top, bottom] = [340, 120, 58, 8, 8, 20]
  const first = steps[0]!
  const last = steps[steps.length - 1]!
  const x = (s: number) => left + ((s - first) / Math.max(last - first, 1)) * (W - left - right)
  const y = (v: number) => H - bottom - ((scale(v) - low) / (high - low)) * (H - top - bottom)
  let d = ''
  let down = false
  values.forEach((v, k) => {
    if (usable[k]) d += `${down ? 'L' : 'M'}${x(steps[k]!).toFixed(1)} ${y(v).toFixed(1)}`
    down = usable[k]!
  })
  const back = (s: number) => (log ? 10 ** s : s)
  const told = `${title} from ${num(kept[0])} at step ${first} to ${num(kept[kept.length - 1])} at step ${last}`
  return h(
    'figure',
    { class: 'chart' },
    svg(
      'svg',
      { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': told },
      svg('line', { class: 'axis', x1: left, y1: H - bottom, x2: W - right, y2: H - bottom }),
      svg('line', { class: 'axis', x1: left, y1: top, x2: left, y2: H - bottom }),
      svg('text', { x: left - 5, y: top + 8, 'text-anchor': 'end' }, num(back(high), 3)),
      svg('text', { x: left - 5, y: H - bottom, 'text-anchor': 'end' }, num(back(low), 3)),
      svg('text', { x: left, y: H - 5 }, `step ${first}`),
      svg('text', { x: W - right, y: H - 5, 'text-anchor': 'end' }, String(last)),
      svg('path', { class: 'curve', d }),
    ),
    h('figcaption', {}, told, log ? '; log scale' : ''),
  )
}
