import type { ColumnPreview } from './program/backend'
import { day, h, num, svg, visible } from './dom'

// ends are the smallest and the largest value. A bar for each whole number reaches half a unit beyond them.
export function ends(c: ColumnPreview): [first: number, last: number] {
  const [low, high] = [c.low ?? 0, c.high ?? 0]
  const whole = high - low === c.counts?.length && Number.isInteger(low + 0.5)
  return whole ? [low + 0.5, high - 0.5] : [low, high]
}

// sized is a value of a column in words: a number, or a date for a time.
export const sized = (c: ColumnPreview, v: number, digits = 3): string => (c.dates ? day(v, (c.high ?? v) - (c.low ?? v)) : num(v, digits))

// heights are the bars of a column: counts of a histogram, or of its most frequent categories.
function heights(c: ColumnPreview): number[] {
  if (c.counts?.length) return c.counts
  const list = (c.categories ?? []).map((k) => k.count)
  const rest = list.slice(8).reduce((a, b) => a + b, c.other ?? 0)
  return rest > 0 ? [...list.slice(0, 8), rest] : list.slice(0, 9)
}

// histogram draws the distribution of a column, small beside its name or large with its ends.
export function histogram(c: ColumnPreview, large = false): HTMLElement {
  const all = heights(c)
  const bins = large ? all : fold(all, 12)
  const most = Math.max(...bins, 1)
  const [W, H] = large ? [300, 64] : [64, 22]
  const step = W / Math.max(bins.length, 1)
  const numeric = (c.counts?.length ?? 0) > 0
  const [first, last] = ends(c)
  const told = numeric ? `Histogram of ${visible(c.name)} from ${sized(c, first, 4)} to ${sized(c, last, 4)}` : `Frequencies of ${visible(c.name)}: ${(c.categories ?? []).slice(0, 5).map((k) => visible(k.value)).join(', ')}`
  const chart = svg('svg', { class: large ? 'hist large' : 'hist', viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'none', ...(large ? { role: 'img', 'aria-label': told } : { 'aria-hidden': 'true' }) },
    bins.map((n, k) => svg('rect', { x: (k * step + 0.5).toFixed(1), y: (H - (H * n) / most).toFixed(1), width: Math.max(step - 1, 0.6).toFixed(1), height: Math.max((H * n) / most, n > 0 ? 0.8 : 0).toFixed(1), rx: 1 })))
  if (!large) return h('span', { class: 'hist-box', title: told }, chart)
  return h('figure', { class: 'hist-box' }, chart, h('figcaption', {}, numeric ? [h('span', {}, sized(c, first, 4)), h('span', {}, sized(c, last, 4))] : h('span', {}, (c.categories ?? []).slice(0, 6).map((k) => visible(k.value)).join(' · '))))
}

// fold joins neighbouring bins until there are few.
function fold(bins: number[], most: number): number[] {
  const per = Math.ceil(bins.length / most)
  return per < 2 ? bins : Array.from({ length: Math.ceil(bins.length / per) }, (_, k) => bins.slice(k * per, (k + 1) * per).reduce((a, b) => a + b, 0))
}
