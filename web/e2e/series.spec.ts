import { expect, test } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { clickNode, open, shown } from './open'
import { files } from './paths'

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

test('the table has a row for each lag, and the matrix the lags in its cells', async ({ page }) => {
  const { faults } = await open(page, 'series')
  await page.getByRole('tab', { name: 'Table' }).click()
  const { edges, lagged } = result()
  const table = page.getByRole('table', { name: /^Edges/ })
  await expect(table.getByRole('columnheader', { name: 'Lag' })).toBeVisible()
  await expect(table.locator('tbody tr')).toHaveCount(edges.length + lagged.length)
  await page.locator('#how-matrix').click()
  await expect(page.locator('#matrix')).toBeVisible()
  expect(faults).toEqual([])
})

test('a variable lists its edges with a lag, and two variables those between them', async ({ page }) => {
  const { faults } = await open(page, 'series')
  const { lagged } = result()
  const { from, to } = lagged.find((e) => e.from !== e.to)!
  await clickNode(page, from)
  const at = (name: string) => lagged.filter((e) => e.from === name || e.to === name).length
  await expect(page.locator('#panel h3', { hasText: 'With a lag' })).toHaveText(`With a lag (${at(from)})`)
  await clickNode(page, to)
  await expect(page.locator('#panel')).toContainText('polydag explain lists them')
  await expect(page.locator('#panel h3', { hasText: 'With a lag' })).toBeVisible()
  expect(faults).toEqual([])
})
