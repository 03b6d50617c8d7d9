import { expect } from '@playwright/test'
import { audit, picture } from './audit'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from './one'
import { clickNode, open, shown } from './open'
import { files, polydag } from './paths'

interface Edge {
  from: string
  to: string
  lag?: number
}
const result = () => JSON.parse(readFileSync(`${files}/series.json`, 'utf8')) as { edges: Edge[]; lagged: Edge[] }

test('lags stand on the edges of a time series, several of a pair on one line', async ({ page }) => {
  const { faults } = await open(page, 'series')
  const { edges, lagged } = result()
  const pairs = new Map<string, number[]>()
  for (const e of lagged) pairs.set(`${e.from} ${e.to}`, [...(pairs.get(`${e.from} ${e.to}`) ?? []), e.lag!].sort())
  expect([...pairs.values()].some((lags) => lags.length > 1)).toBe(true)
  expect([...pairs.keys()].some((key) => key.split(' ')[0] === key.split(' ')[1])).toBe(true)
  const drawn = (await shown(page)).edges
  expect(drawn.length).toBe(edges.length + pairs.size)
  for (const [key, lags] of pairs) {
    const text = lags.length > 1 ? `lags ${lags.join(', ')}` : `lag ${lags[0]}`
    expect(drawn.filter((e) => `${e.from} ${e.to}` === key && e.visible).map((e) => e.label)).toContainEqual(expect.stringContaining(text))
  }
  await expect(page.locator('#summary')).toContainText(`${edges.length + lagged.length} edges`)
  expect(faults).toEqual([])
})

test('the table has a row for each lag, and the matrix shows all lags or one', async ({ page }) => {
  const { faults } = await open(page, 'series')
  await page.getByRole('tab', { name: 'Table' }).click()
  const { edges, lagged } = result()
  const table = page.getByRole('table', { name: /^Edges/ })
  await expect(table.getByRole('columnheader', { name: 'Lag' })).toBeVisible()
  await expect(table.locator('tbody tr')).toHaveCount(edges.length + lagged.length)
  await page.locator('#how-matrix').click()
  await expect(page.locator('#matrix')).toBeVisible()
  await page.locator('#lag').selectOption('2')
  const two = lagged.filter((e) => e.lag === 2).length
  expect(two).toBeGreaterThan(0)
  await expect(page.locator('#count')).toContainText(`${two} of`)
  await page.locator('#how-graph').click()
  await expect(page.locator('#lag')).toBeHidden()
  expect(faults).toEqual([])
})

test('unrolled over time: every edge ends at t, earlier repetitions are faint, filters and keys work', async ({ page }) => {
  const { faults } = await open(page, 'series')
  const { edges, lagged } = result()
  await page.locator('#how-time').click()
  const view = page.locator('#time')
  await expect(view.locator('[data-now=true]')).toHaveCount(edges.length + lagged.length)
  await expect(page.locator('#count')).toHaveText(`${edges.length + lagged.length} of ${edges.length + lagged.length} edges shown`)
  for (const lag of [0, 1, 2]) await expect(view.locator(`[data-now=true][data-lag="${lag}"]`)).toHaveCount([...edges, ...lagged].filter((e) => (e.lag ?? 0) === lag).length)
  await expect(view.locator('text', { hasText: /^t(−[12])?$/ })).toHaveText(['t', 't−1', 't−2'])
  expect(await view.evaluate((e) => e.scrollWidth - e.clientWidth)).toBeLessThanOrEqual(0)
  await audit(page, '#time')
  const { from } = lagged[0]!
  await view.getByRole('button', { name: from, exact: true }).focus()
  await page.keyboard.press('Enter')
  await expect(view.getByRole('button', { name: from, exact: true })).toBeFocused()
  await expect(page.locator('#panel h2')).toHaveText(from)
  await page.locator('#least').fill('1')
  await expect(view.locator('[data-now=true]')).toHaveCount(0)
  await picture(page, 'series-time')
  expect(faults).toEqual([])
})

test('two variables show the response over time of polydag effect, with intervals', async ({ page }) => {
  const { faults } = await open(page, 'series')
  const { lagged } = result()
  const { from, to } = lagged.find((e) => e.from !== e.to)!
  await clickNode(page, from)
  const panel = page.locator('#panel')
  const at = (name: string) => lagged.filter((e) => e.from === name || e.to === name).length
  await expect(panel.locator('h3', { hasText: 'With a lag' })).toHaveText(`With a lag (${at(from)})`)
  await clickNode(page, to)
  await expect(panel).toContainText('polydag explain lists them')
  await expect(panel.locator('h3', { hasText: 'With a lag' })).toBeVisible()
  const said = JSON.parse(execFileSync(polydag, ['effect', `${files}/series.json`, '--of', from, '--on', to, '--json'], { encoding: 'utf8' })) as { impulse: { step: number; value: number }[] }
  await panel.getByText('In numbers').click()
  const rows = panel.locator('.impulse tbody tr')
  await expect(rows).toHaveCount(said.impulse.length)
  const text = (x: number) => String(Number(x.toPrecision(4))).replaceAll('-', '−')
  for (const r of said.impulse.slice(0, 5)) await expect(rows.nth(r.step).locator('td').first()).toHaveText(text(r.value))
  await expect(rows.first().locator('td').nth(1)).toHaveText(/ to /)
  await expect(panel.locator('.impulse .band')).toBeVisible()
  await picture(page, 'series-impulse')
  expect(faults).toEqual([])
})
