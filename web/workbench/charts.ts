import type { ColumnPreview } from './backend'
import { h, num, svg, visible } from '../src/dom'

const wide = 200
const high = 48

// ends are the smallest and the largest value. A bar for each whole number reaches half a unit beyond them.
export function ends(c: ColumnPreview): [first: number, last: number] {
  const [low, high] = [c.low ?? 0, c.high ?? 0]
  const whole = high - low === c.counts?.length && Number.isInteger(low + 0.5)
  return whole ? [low + 0.5, high - 0.5] : [low, high]
}

// chart draws the distribution of a column: a histogram, or a bar for each category.
export function chart(c: ColumnPreview): Node {
  if (c.counts?.length) {
    const most = Math.max(...c.counts, 1)
    const step = wide / c.counts.length
    const [first, last] = ends(c)
    const label = `Histogram of ${visible(c.name)} from ${num(first)} to ${num(last)}`
    return h('figure', {},
      svg('svg', { class: 'histogram', viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
        c.counts.map((n, k) => svg('rect', { x: k * step + 0.5, y: high - (high * n) / most, width: Math.max(step - 1, 0.5), height: (high * n) / most }))),
      h('div', { class: 'ends' }, h('span', {}, num(first)), h('span', {}, num(last))))
  }
  const rows = (c.categories ?? []).slice(0, 5).map((k) => ({ name: visible(k.value), count: k.count }))
  const rest = (c.categories ?? []).slice(5).reduce((n, k) => n + k.count, c.other ?? 0)
  if (rest > 0) rows.push({ name: 'other', count: rest })
  const all = rows.reduce((n, r) => n + r.count, 0)
  const most = Math.max(...rows.map((r) => r.count), 1)
  return h('ul', { class: 'bars', 'aria-label': `Most frequent values of ${visible(c.name)}` },
    rows.map((r) => h('li', {},
      h('bdi', { title: r.name }, r.name),
      svg('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, svg('rect', { width: (100 * r.count) / most, height: 10 })),
      h('span', {}, `${Math.round((100 * r.count) / all)} %`))))
}

// spark draws the course of a run; h falls by powers of ten and has a log scale.
export function spark(c: { of: string; step: number[]; value: number[] } | undefined): Node | undefined {
  if (!c || c.step.length < 2) return undefined
  const y = c.value.map((v) => (c.of === 'h' ? Math.log10(Math.max(v, 1e-16)) : v))
  const [low, top] = [Math.min(...y), Math.max(...y)]
  const [first, last] = [c.step[0]!, c.step.at(-1)!]
  const d = y.map((v, i) => `${i ? 'L' : 'M'}${((200 * (c.step[i]! - first)) / Math.max(last - first, 1)).toFixed(1)} ${(36 - (32 * (v - low)) / Math.max(top - low, 1e-12)).toFixed(1)}`).join('')
  const told = `${c.of} from ${c.value[0]!.toPrecision(3)} at step ${first} to ${c.value.at(-1)!.toPrecision(3)} at step ${last}`
  return svg('svg', { class: 'spark', viewBox: '0 0 200 40', preserveAspectRatio: 'none', role: 'img', 'aria-label': told }, svg('title', {}, told), svg('path', { d }))
}
