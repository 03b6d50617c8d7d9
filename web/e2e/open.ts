import { expect, type Page } from '@playwright/test'
import { files } from './paths'

// open loads a page from disk and keeps a list of everything that must not happen.
export async function open(page: Page, name: string): Promise<{ faults: string[] }> {
  const faults: string[] = []
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') faults.push(`console ${m.type()}: ${m.text()}`)
  })
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`))
  page.on('request', (r) => {
    if (!r.url().startsWith('file://') && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) faults.push(`request: ${r.url()}`)
  })
  await page.goto(`file://${files}/${name}.html`)
  await expect(page.locator('html[data-ready]')).toBeAttached()
  return { faults }
}

// pick selects a column as a reader does: in the drawing, or by the search where it is in a closed group.
export async function pick(page: Page, name: string, more = false): Promise<void> {
  const box = page.locator('[data-node]').filter({ has: page.getByText(name, { exact: true }) }).first()
  if ((await box.count()) > 0) return box.click(more ? { modifiers: ['Shift'] } : {})
  await page.locator('#search').fill(name)
  await page.keyboard.press('Enter')
}

// ready waits until the program has drawn what it was asked for.
export async function ready(page: Page, timeout = 90_000): Promise<void> {
  await expect(page.locator('html[data-graph]')).toBeAttached({ timeout })
  await expect(page.locator('html[data-busy="false"]')).toBeAttached({ timeout })
}

// faultsOf lists what must not be in a drawing: boxes on boxes, lines through boxes, labels on lines, on boxes and on labels.
export const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    type Box = { x1: number; y1: number; x2: number; y2: number; name: string }
    const inner = (el: Element, by: number): Box => {
      const r = el.getBoundingClientRect()
      return { x1: r.left + by, y1: r.top + by, x2: r.right - by, y2: r.bottom - by, name: el.textContent ?? '' }
    }
    const meets = (a: Box, b: Box) => a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2
    const boxes = [...document.querySelectorAll('.graph .node')].map((n) => ({ ...inner(n.querySelector('rect')!, 1.5), key: n.getAttribute('data-node')!, name: n.textContent ?? '' }))
    const labels = [...document.querySelectorAll('.graph .tag')].filter((l) => getComputedStyle(l).display !== 'none').map((l) => inner(l, 2))
    const lines = [...document.querySelectorAll<SVGPathElement>('.graph .line .stroke')].map((p) => {
      const m = p.getScreenCTM()!
      const length = p.getTotalLength()
      const steps = Math.ceil(length / 4)
      return { key: p.closest('.line')!.getAttribute('data-line')!, points: Array.from({ length: steps + 1 }, (_, i) => p.getPointAtLength((length * i) / steps).matrixTransform(m)) }
    })
    const on = (b: Box) => lines.filter((l) => l.points.some((p) => p.x > b.x1 && p.x < b.x2 && p.y > b.y1 && p.y < b.y2))
    const out: string[] = []
    boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => meets(a, b) && out.push(`box ${a.name} on ${b.name}`)))
    for (const b of boxes) for (const l of on(b)) if (!l.key.replace('@', '').replace(/^b/, '').split('>').map((k) => (/^[gn]/.test(k) ? k : `n${k}`)).includes(b.key)) out.push(`line ${l.key} through ${b.name}`)
    labels.forEach((a, i) => {
      labels.slice(0, i).forEach((b) => meets(a, b) && out.push(`label ${a.name} on ${b.name}`))
      boxes.forEach((b) => meets(a, b) && out.push(`label ${a.name} on box ${b.name}`))
      on(a).forEach((l) => out.push(`label ${a.name} on line ${l.key}`))
    })
    return out
  })

// overlapping lists parts of the frame that stand on each other, and scrolling parts inside scrolling parts.
export const overlapping = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const seen = (el: Element) => (el as HTMLElement).checkVisibility({ visibilityProperty: true }) && el.getBoundingClientRect().width > 0
    const parts = ['#question', '#tools', '#progress', '#legend', 'header > *', '.edge-left', '.edge-right', '#sheets'].flatMap((q) => [...document.querySelectorAll(q)]).filter(seen)
    const out: string[] = []
    const name = (el: Element) => el.id || el.className.toString() || el.tagName
    parts.forEach((a, i) => parts.slice(0, i).forEach((b) => {
      if (a.contains(b) || b.contains(a)) return
      const [r, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()]
      if (r.left + 1 < q.right && q.left + 1 < r.right && r.top + 1 < q.bottom && q.top + 1 < r.bottom) out.push(`${name(a)} on ${name(b)}`)
    }))
    const scrolls = (el: Element) => /auto|scroll/.test(getComputedStyle(el).overflowY) && el.scrollHeight > el.clientHeight + 1
    for (const el of document.querySelectorAll('#app *')) {
      if (!seen(el) || !scrolls(el)) continue
      for (let up = el.parentElement; up; up = up.parentElement) if (scrolls(up)) out.push(`${name(el)} scrolls inside ${name(up)}`)
    }
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) out.push('the page is wider than the window')
    for (const el of document.querySelectorAll('#left, #side, header')) if (seen(el) && el.scrollWidth > el.clientWidth + 1) out.push(`${name(el)} is too narrow for what it holds`)
    return out
  })
