import { expect, type Page } from '@playwright/test'
import { audit, picture } from './audit'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from './one'
import { clickNode, open, shown } from './open'
import { files, polydag } from './paths'

interface Effect { form: string; from_levels: string[]; to_levels: string[]; p: number[][]; rows: number[]; x: number[]; y: number[]; low: number; high: number }
interface Edge { from: string; to: string; gain: number; weight: number; standardized: number; effect: Effect }
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
  test(`${name}: lines, the slider, the matrix and the table go by gain`, async ({ page }) => {
    const { faults } = await open(page, name)
    const edges = edgesOf(name).sort((a, b) => b.gain - a.gain)
    const wide = await widths(page)
    const drawn = edges.map((e) => wide[`${e.from} ${e.to}`]!)
    expect(drawn.every((w, k) => k === 0 || w < drawn[k - 1]!), 'a weaker edge is thinner').toBe(true)
    expect(Math.max(...drawn)).toBeCloseTo(6, 5)
    // Just above the weakest edge the slider hides it, and nothing else.
    const size = (e: Edge) => Math.sqrt(1 - 2 ** (-2 * e.gain))
    const least = Math.ceil(100 * size(edges.at(-1)!) + 0.01) / 100
    const left = edges.filter((e) => size(e) >= least).length
    expect(left).toBeLessThan(edges.length)
    expect(left).toBeGreaterThan(0)
    await page.locator('#least').fill(String(least))
    await expect(page.locator('#count')).toHaveText(`${left} of ${edges.length} edges shown, ${edges.length - left} hidden`)
    await expect(page.locator('#least-now')).toHaveText(/^≥ [0-9.]+ bits$/)
    expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(left)
    await page.getByRole('tab', { name: 'Table' }).click()
    const first = page.locator('table').first().locator('tbody tr').first().locator('td')
    await expect(first.nth(0)).toHaveText(edges[0]!.from)
    await expect(first.nth(1)).toContainText(edges[0]!.to)
    await expect(page.locator('th[aria-sort=descending]').first()).toHaveText('Gain')
    await page.getByRole('button', { name: 'Matrix' }).click()
    await expect(page.locator('#count')).toHaveText(`${left} of ${edges.length} edges shown, ${edges.length - left} hidden`)
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
  await expect(panel.getByRole('heading', { name: `Effect of ${e.from} on ${e.to}` })).toBeVisible()
  const cells = panel.locator('.effect table.shares tbody tr')
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
  for (const word of ['dry', 'mild', 'wet']) await expect(page.locator('.effect table.shares')).toContainText(word)
  await picture(page, 'effect-levels')
  await audit(page, '#panel')
})

test('mixed: means by level, and probabilities along a number', async ({ page }) => {
  await open(page, 'mixed')
  const pay = edgeOf('mixed', 'city', 'pay')
  await clickNode(page, 'city')
  await clickNode(page, 'pay')
  await expect(page.locator('.effect table.shares')).toContainText('Wien')
  if (pay.from === 'city') {
    expect(pay.effect.form).toBe('means')
    await expect(page.locator('.effect table.shares')).toContainText('mean of pay')
    await expect(page.locator('#panel')).toContainText('the mean of pay is ')
  }
  await picture(page, 'effect-mixed')
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
  expect(ys[top], 'the highest point is where the numbers have it').toBe(Math.min(...ys)) // two points may have the same rounded height
  await expect(chart.locator('.few')).toHaveCount(2)
  await expect(page.locator('#panel')).toContainText(/rises from [\d.]+ to [\d.]+, turns at (19|20|21)/)
  await expect(page.locator('.legend')).toContainText('a curve that is not monotone')
  await picture(page, 'effect-curved')
  expect(faults).toEqual([])
})

interface Quantity { value: number; low: number; high: number }
interface Answer {
  contrast: { start: string; end: string }
  effects: { outcome: string; total: Quantity; direct: Quantity; through: ({ name: string } & Quantity)[] }[]
  distributions: { do: string; mean?: Quantity; levels?: Quantity[]; quantiles?: { p: number; value: number }[] }[]
}

// asked is what polydag effect says of two variables with the graph taken as known, as the page should.
function asked(name: string, of: string, on: string, values: string[]): Answer {
  const args = ['effect', `${files}/${name}.json`, '--of', of, '--on', on, '--data', `${files}/${name}.csv`, '--set', 'given-graph', '--set', 'replicates=99', '--do', values.join(','), '--json', '--quiet']
  return JSON.parse(execFileSync(polydag, args, { encoding: 'utf8' }))
}

async function choose(page: Page, a: string, b: string): Promise<void> {
  await page.locator('#pick0').selectOption({ label: a })
  await page.locator('#pick1').selectOption({ label: b })
}

const minus = (s: string) => s.replaceAll('-', '−')
const points = (v: number) => (v === 0 ? '0' : `${v > 0 ? '+' : '−'}${Math.abs(100 * v).toFixed(1)}`)
const digits = (v: number) => minus(String(Number(v.toPrecision(4))))

test('levels: what setting a variable does, as polydag effect says it', async ({ page }) => {
  const { faults } = await open(page, 'levels')
  const e = edgeOf('levels', 'rain', 'season')
  await choose(page, e.from, e.to)
  const setting = page.locator('.setting')
  const first = setting.locator('table.do tbody tr')
  const values = await first.locator('th').allTextContents()
  const said = asked('levels', e.from, e.to, values)
  await expect(setting).toContainText(`${e.from} set to ${said.contrast.end} instead of ${said.contrast.start} changes the probabilit`)
  const total = setting.locator('table.parts tbody tr').first().locator('td')
  for (const [k, o] of said.effects.entries()) {
    await expect(total.nth(k)).toHaveText(`${points(o.total.value)}${points(o.total.low)} to ${points(o.total.high)}`)
  }
  for (const [i, d] of said.distributions.entries()) {
    for (const [k, l] of d.levels!.entries()) {
      await expect(first.nth(i).locator('td').nth(k)).toHaveText(`${(100 * l.value).toFixed(1)} %${(100 * l.low).toFixed(1)}–${(100 * l.high).toFixed(1)}`)
    }
  }
  await expect(setting).toContainText('from 99 bootstrap samples, given the graph')
  await expect(page.locator('#panel')).toContainText('Directed paths: ')
  await page.locator('.setting').scrollIntoViewIfNeeded()
  await picture(page, 'setting-levels')
  await audit(page, '#panel')
  expect(faults).toEqual([])
})

test('curved: the distribution under do along a path, drawn and in numbers', async ({ page }) => {
  const { faults } = await open(page, 'curved')
  await choose(page, 'temp', 'height')
  const setting = page.locator('.setting')
  await expect(setting.locator('figure.do path.curve')).toBeVisible()
  await expect(setting.locator('figure.do path.band')).toHaveCount(3)
  await setting.getByText('In numbers').click()
  const held = JSON.parse((await page.locator('#data').textContent())!).results[0].effects.list.find((x: { effects: unknown[]; to: number; from: number }) => x.effects.length > 0 && x.from === 0 && x.to === 2)
  const said = asked('curved', 'temp', 'height', held.do.map((d: { do: string }) => d.do))
  const row = setting.locator('figure.do tbody tr').first()
  const d = said.distributions[0]!
  await expect(row.locator('td').first()).toHaveText(`${digits(d.mean!.value)}${digits(d.mean!.low)} to ${digits(d.mean!.high)}`)
  await expect(row.locator('td').nth(1)).toHaveText(`${digits(d.quantiles![0]!.value)} to ${digits(d.quantiles!.at(-1)!.value)}`)
  const through = setting.locator('table.parts tr', { hasText: 'through growth' })
  await expect(through.locator('td')).toHaveText((said.effects[0]!.through[0]!.value > 0 ? '+' : '') + digits(said.effects[0]!.through[0]!.value))
  // The middle of the temperatures grows more than its ends: the curve of the mean has its highest point inside.
  const path = (await setting.locator('figure.do path.curve').getAttribute('d'))!
  const ys = [...path.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map((m) => Number(m[1]))
  expect(ys.length).toBe(held.do.length)
  expect(Math.min(...ys.slice(2, -2))).toBeLessThan(Math.min(ys[0]!, ys.at(-1)!))
  await picture(page, 'setting-curved')
  expect(faults).toEqual([])
})

test('a page that was written without the table says what it lacks', async ({ page }) => {
  await open(page, 'bare')
  const e = edgeOf('levels', 'rain', 'season')
  await choose(page, e.from, e.to)
  await expect(page.locator('.setting')).toHaveCount(0)
  await expect(page.locator('#panel')).toContainText('needs the table: polydag report --data')
})
