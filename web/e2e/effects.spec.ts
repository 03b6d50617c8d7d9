import AxeBuilder from '@axe-core/playwright'
import { expect, test, type Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { clickNode, open, shown } from './open'
import { files, out, polydag } from './paths'

interface Effect { form: string; from_levels: string[]; to_levels: string[]; p: number[][]; rows: number[]; x: number[]; y: number[]; low: number; high: number }
interface Edge { from: string; to: string; strength: number; weight: number; standardized: number; effect: Effect }
const edgesOf = (name: string): Edge[] => JSON.parse(readFileSync(`${files}/${name}.json`, 'utf8')).edges
const edgeOf = (name: string, a: string, b: string) => edgesOf(name).find((e) => (e.from === a && e.to === b) || (e.from === b && e.to === a))!

// widths of the lines on the canvas, by "from to".
const widths = (page: Page) =>
  page.evaluate(() => {
    const cy = document.getElementById('graph')!._cyreg!.cy
    const name = (id: unknown) => cy.getElementById(id as string).data('name') as string
    return Object.fromEntries(cy.edges().map((e) => [`${name(e.data('source'))} ${name(e.data('target'))}`, Number(e.data('width'))]))
  })

for (const name of ['levels', 'mixed', 'curved']) {
  test(`${name}: lines, the slider, the matrix and the table go by strength`, async ({ page }) => {
    const { faults } = await open(page, name)
    const edges = edgesOf(name).sort((a, b) => b.strength - a.strength)
    const wide = await widths(page)
    const drawn = edges.map((e) => wide[`${e.from} ${e.to}`]!)
    expect(drawn.every((w, k) => k === 0 || w < drawn[k - 1]!), 'a weaker edge is thinner').toBe(true)
    expect(Math.max(...drawn)).toBeCloseTo(6, 5)
    // Just above the weakest edge the slider hides it, and nothing else.
    const size = (e: Edge) => Math.sqrt(1 - 2 ** (-2 * e.strength))
    const least = Math.ceil(100 * size(edges.at(-1)!) + 0.01) / 100
    const left = edges.filter((e) => size(e) >= least).length
    expect(left).toBeLessThan(edges.length)
    expect(left).toBeGreaterThan(0)
    await page.locator('#least').fill(String(least))
    await expect(page.locator('#count')).toHaveText(`${left} of ${edges.length} edges shown`)
    await expect(page.locator('#least-now')).toHaveText(/^≥ [0-9.]+ bits$/)
    expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(left)
    await page.getByRole('tab', { name: 'Table' }).click()
    const first = page.locator('table').first().locator('tbody tr').first().locator('td')
    await expect(first.nth(0)).toHaveText(edges[0]!.from)
    await expect(first.nth(1)).toHaveText(edges[0]!.to)
    await expect(page.locator('th[aria-sort=descending]').first()).toHaveText('Bits')
    await page.getByRole('button', { name: 'Matrix' }).click()
    await expect(page.locator('#count')).toHaveText(`${left} of ${edges.length} edges shown`)
    expect(faults).toEqual([])
  })
}

test('levels: a click on an arrow shows its probabilities, as explain says them', async ({ page }) => {
  const { faults } = await open(page, 'levels')
  const e = edgeOf('levels', 'rain', 'street')
  const at = await page.evaluate(([from, to]) => {
    const cy = document.getElementById('graph')!._cyreg!.cy
    const name = (id: unknown) => cy.getElementById(id as string).data('name') as string
    return cy.edges().map((x) => ({ is: name(x.data('source')) === from && name(x.data('target')) === to, ...x.renderedMidpoint() })).find((x) => x.is)!
  }, [e.from, e.to])
  const box = (await page.locator('#graph').boundingBox())!
  await page.mouse.click(box.x + at.x, box.y + at.y)
  const panel = page.locator('#panel')
  await expect(panel.locator('h2')).toHaveText(`${e.from} and ${e.to}`)
  await expect(panel.getByRole('heading', { name: `What ${e.from} → ${e.to} does` })).toBeVisible()
  const cells = panel.locator('table.shares tbody tr')
  await expect(cells).toHaveCount(2)
  for (const [i, row] of e.effect.p.entries()) {
    await expect(cells.nth(i)).toContainText(`${(100 * row[1]!).toFixed(1)} %`)
    await expect(cells.nth(i)).toContainText(String(e.effect.rows[i]))
  }
  const said = execFileSync(polydag, ['explain', `${files}/levels.json`, '--from', e.from, '--to', e.to], { encoding: 'utf8' })
  const sentence = said.split('\n').find((l) => l.includes('P('))!.trim()
  expect(sentence).toMatch(new RegExp(`^P\\(${e.to} = 1\\) is 0\\.\\d+ where ${e.from} = 1, 0\\.\\d+ where 0$`))
  await expect(panel).toContainText(sentence)
  await expect(panel).not.toContainText('Total effect')
  expect(faults).toEqual([])
})

test('levels: words of a text stand in the table', async ({ page }) => {
  await open(page, 'levels')
  const e = edgeOf('levels', 'season', 'rain')
  await clickNode(page, e.from)
  await clickNode(page, e.to)
  for (const word of ['dry', 'mild', 'wet']) await expect(page.locator('table.shares')).toContainText(word)
  await page.screenshot({ path: `${out}/effect-levels.png` })
  const axe = await new AxeBuilder({ page }).include('#panel').analyze()
  expect(axe.violations.map((v) => `${v.id}: ${v.nodes[0]?.html}`)).toEqual([])
})

test('mixed: means by level, and probabilities along a number', async ({ page }) => {
  await open(page, 'mixed')
  const pay = edgeOf('mixed', 'city', 'pay')
  await clickNode(page, 'city')
  await clickNode(page, 'pay')
  await expect(page.locator('table.shares')).toContainText('Wien')
  if (pay.from === 'city') {
    expect(pay.effect.form).toBe('means')
    await expect(page.locator('table.shares')).toContainText('mean of pay')
    await expect(page.locator('#panel')).toContainText('the mean of pay is ')
  }
  await page.screenshot({ path: `${out}/effect-mixed.png` })
})

test('curved: the curve is drawn with its marks, from the numbers of the result', async ({ page }) => {
  const { faults } = await open(page, 'curved')
  const e = edgeOf('curved', 'temp', 'growth')
  await clickNode(page, 'temp')
  await clickNode(page, 'growth')
  const chart = page.locator('.effect figure.chart')
  await expect(chart.locator('.dot')).toHaveCount(e.effect.x.length)
  const d = (await chart.locator('path.curve').first().getAttribute('d'))!
  const ys = [...d.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map((m) => Number(m[1]))
  const top = e.effect.y.indexOf(Math.max(...e.effect.y))
  expect(ys.indexOf(Math.min(...ys)), 'the highest point is where the numbers have it').toBe(top)
  await expect(chart.locator('.few')).toHaveCount(2)
  await expect(page.locator('#panel')).toContainText(/rises from [\d.]+ to [\d.]+, turns at (19|20|21)/)
  await expect(page.locator('.legend')).toContainText('a curve that turns')
  await page.screenshot({ path: `${out}/effect-curved.png` })
  expect(faults).toEqual([])
})
