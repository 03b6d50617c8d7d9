import { expect, type Page } from '@playwright/test'
import { picture } from './audit'
import { test } from './one'
import { clickNode, meeting, open, openGraph, overlapping, shown } from './open'
import { files } from './paths'
import { readFileSync } from 'node:fs'

// Graphs of many edges: what a person sees first, and what can be asked for.

interface Edge { from: string; to: string; standardized: number }
const edgesOf = (name: string) => JSON.parse(readFileSync(`${files}/${name}.json`, 'utf8')).edges as Edge[]

// upward lists what is drawn against "causes above effects".
const upward = async (page: Page) => {
  const s = await shown(page)
  const y = new Map(s.nodes.map((n) => [n.name, n.y]))
  return s.edges.filter((e) => e.visible && y.get(e.from)! >= y.get(e.to)!).map((e) => `${e.from} ${e.to}`)
}

for (const name of ['d40', 'd100', 'd300', 'dense']) {
  test(`${name}: opens readable, fills the window, causes above effects at every number of edges`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    const { faults } = await openGraph(page, name)
    const all = edgesOf(name).length
    const first = all > 90 ? 60 : all
    await expect(page.locator('#count')).toContainText(first < all ? `strongest 60 of ${all} edges shown, ${all - 60} hidden` : `${all} of ${all} edges shown`)
    const s = await shown(page)
    expect(s.edges.filter((e) => e.visible).length).toBe(first)
    const [x, y] = [s.nodes.filter((n) => n.visible).map((n) => n.x), s.nodes.filter((n) => n.visible).map((n) => n.y)]
    const box = (await page.locator('#graph').boundingBox())!
    expect((Math.max(...x) - Math.min(...x)) / box.width, 'of the width').toBeGreaterThan(0.6)
    expect((Math.max(...y) - Math.min(...y)) / box.height, 'of the height').toBeGreaterThan(0.6)
    // Names are written, and at least 8.5 px high, or 6.5 in a box of their own.
    const small = await page.evaluate(() => {
      const cy = document.getElementById('graph')!._cyreg!.cy
      return cy.nodes().map((n) => ({ text: n.data('text') as string, px: (n.data('size') as number) * cy.zoom(), seen: n.visible() })).filter((n) => n.seen && (n.text === '' || n.px < 6.4))
    })
    expect(small).toEqual([])
    expect(await overlapping(page), 'boxes that overlap').toEqual([])
    await picture(page, `${name}-open`)
    for (const value of await page.locator('#many option').evaluateAll((list) => list.map((o) => (o as HTMLOptionElement).value))) {
      if (await page.locator('#many').isVisible()) await page.locator('#many').selectOption(value)
      expect(await upward(page), `choice ${value}`).toEqual([])
      expect(await meeting(page), `names that overlap, choice ${value}`).toEqual([])
    }
    expect(faults).toEqual([])
  })
}

test('only neighbours: all lines between them, weak ones too, and none upward', async ({ page }) => {
  const { faults } = await open(page, 'dense')
  const edges = edgesOf('dense')
  const v = 'x5'
  const near = new Set([v, ...edges.flatMap((e) => (e.from === v ? [e.to] : e.to === v ? [e.from] : []))])
  await page.locator('#search').fill(v)
  await page.keyboard.press('Enter')
  await expect(page.locator('#panel')).toContainText('not drawn because of the limit on the number of edges')
  await page.getByRole('button', { name: 'Only neighbours' }).click()
  const between = edges.filter((e) => near.has(e.from) && near.has(e.to))
  expect(between.length).toBeGreaterThan(near.size - 1)
  const s = await shown(page)
  expect(s.edges.filter((e) => e.visible).length).toBe(between.length)
  expect(await upward(page)).toEqual([])
  await picture(page, 'dense-neighbours')
  await page.keyboard.press('Escape')
  expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(60)
  expect(faults).toEqual([])
})

test('the slider has its number', async ({ page }) => {
  await open(page, 'd40')
  await page.locator('#least').fill('0.25')
  await expect(page.locator('#least-now')).toHaveText('≥ 0.047 bits') // of -log2(1 - 0.25²)/2
})

test('the matrix: hover names an edge, a click selects it, rows can be ordered, keys walk it', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const { faults } = await open(page, 'dense')
  await page.getByRole('button', { name: 'Matrix' }).click()
  await expect(page.locator('#count')).toHaveText(`${edgesOf('dense').length} of ${edgesOf('dense').length} edges shown`)
  await expect(page.locator('.legend')).toContainText('deeper colour')
  const grid = page.locator('#matrix')
  await grid.focus()
  await page.keyboard.press('ArrowRight')
  const order = JSON.parse(readFileSync(`${files}/dense.json`, 'utf8')).certificate.order as string[]
  const place = (n: string) => order.indexOf(n)
  const first = edgesOf('dense').sort((a, b) => place(a.from) - place(b.from) || place(a.to) - place(b.to))[0]!
  await expect(page.locator('#panel h2')).toHaveText(`${first.from} and ${first.to}`)
  // In the order of the certificate every coloured cell is above the diagonal: look at the pixels of both halves.
  await page.keyboard.press('Escape')
  const halves = await page.evaluate(() => {
    const c = document.getElementById('matrix') as HTMLCanvasElement
    const { data, width, height } = c.getContext('2d')!.getImageData(0, 0, c.width, c.height)
    const coloured: [number, number][] = []
    for (let y = 0; y < height; y += 2) for (let x = 0; x < width; x += 2) {
      const k = 4 * (y * width + x)
      if (Math.max(data[k]!, data[k + 1]!, data[k + 2]!) - Math.min(data[k]!, data[k + 1]!, data[k + 2]!) > 60) coloured.push([x, y])
    }
    return coloured
  })
  expect(halves.length).toBeGreaterThan(500)
  const [x1, y1] = [Math.min(...halves.map((p) => p[0])), Math.min(...halves.map((p) => p[1]))]
  expect(halves.filter(([x, y]) => x - x1 + 34 < y - y1).length, 'cells below the diagonal').toBe(0)
  // The tip has names and weight, and a click selects.
  const box = (await grid.boundingBox())!
  const [px, py] = halves[Math.floor(halves.length / 2)]!
  await page.mouse.move(box.x + px, box.y + py)
  await expect(page.locator('.tip')).toContainText(/x\d+ → x\d+: directed, confidence 0.90; weight .*standardized .*score gain .* bits per row/)
  const told = (await page.locator('.tip').textContent())!.match(/(x\d+) → (x\d+)/)!
  await page.mouse.click(box.x + px, box.y + py)
  await expect(page.locator('#panel h2')).toHaveText(`${told[1]} and ${told[2]}`)
  await page.locator('#rows').selectOption('groups')
  await picture(page, 'dense-matrix')
  await page.getByRole('button', { name: 'Graph', exact: true }).click()
  expect((await shown(page)).edges.filter((e) => e.visible).length).toBeGreaterThan(50)
  expect(faults).toEqual([])
})

test('the table is sorted by gain and fits its panel', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(page, 'dense')
  await page.getByRole('tab', { name: 'Table' }).click()
  const strongest = edgesOf('dense').sort((a, b) => Math.abs(b.standardized) - Math.abs(a.standardized))[0]!
  await expect(page.locator('tbody tr').first().locator('td').nth(0)).toHaveText(strongest.from)
  await expect(page.locator('tbody tr').first().locator('td').nth(1)).toHaveText(`→ ${strongest.to}`)
  const wide = await page.locator('.scroll').first().evaluate((e) => e.scrollWidth - e.clientWidth)
  expect(wide).toBeLessThanOrEqual(0)
})

test('warnings are badges that lead to what they say', async ({ page }) => {
  await open(page, 'rich')
  await page.locator('.badges').getByRole('button', { name: /\d warnings?/ }).click()
  await expect(page.locator('#panel')).toContainText('moss has skewness 4.1.')
  await clickNode(page, 'mist')
  await expect(page.locator('#panel h2')).toHaveText('mist')
})
