import { expect } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { test } from './one'
import { open, shown } from './open'
import { files } from './paths'

const resultOf = (name: string) => JSON.parse(readFileSync(`${files}/${name}.json`, 'utf8'))

test('a budget: the share of the fit is under the title, and in words', async ({ page }) => {
  const { faults } = await open(page, 'budget')
  const b = resultOf('budget').budget
  const share = `${(100 * b.share).toFixed(1)} %`
  expect(b.share).toBeLessThan(1)
  await expect(page).toHaveTitle('demo.csv · polydag')
  await expect(page.locator('#summary')).toContainText(`; ${share} of the fit without a budget`)
  await expect(page.locator('#panel .budget')).toContainText(`Budget: at most 3 edges. The graph has ${share} of the fit of the graph without a budget (${b.edges_without} edges)`)
  await page.getByRole('tab', { name: 'Run' }).click()
  await expect(page.locator('#panel .budget')).toHaveCount(1)
  expect(faults).toEqual([])
  await open(page, 'demo')
  await expect(page.locator('#summary')).not.toContainText('budget')
  await expect(page.locator('#panel .budget')).toHaveCount(0)
})

test('environments: the mechanisms that differ are listed', async ({ page }) => {
  const { faults } = await open(page, 'environments')
  const { changed, rows } = resultOf('environments').environments
  expect(changed.length).toBeGreaterThan(1)
  await expect(page.locator('#summary')).toContainText(`; ${changed.length} mechanisms differ between ${rows.length} environments`)
  for (const tab of ['Explore', 'Data']) {
    await page.getByRole('tab', { name: tab }).click()
    const list = page.locator('#panel .changed li')
    await expect(list).toHaveCount(changed.length)
    for (const [k, c] of changed.entries()) await expect(list.nth(k)).toContainText(`${c.column} in environment ${c.environment} (p `)
  }
  expect(faults).toEqual([])
})

test('undirected edges say why, and two categories have a score gain for a number', async ({ page }) => {
  const { faults } = await open(page, 'undirected')
  const edges = resultOf('undirected').edges as { from: string; to: string }[]
  await expect(page.locator('.legend')).toContainText(`line: undirected (direction not stated) (${edges.length})`)
  await expect(page.locator('.legend')).not.toContainText('arrow: directed')
  await expect(page.locator('#panel')).toContainText(`${edges.length} undirected.`)
  await page.locator('#weights').setChecked(true)
  const rain = (await shown(page)).edges.find((e) => [e.from, e.to].sort().join() === 'rain,street')!
  expect(rain.label).toMatch(/^0\.[0-9]+ bit \(\+\)$/)
  await page.locator('#pick0').selectOption({ label: edges[0]!.from })
  await expect(page.locator('#panel small').last()).toContainText('Conf.: confidence, the probability of what the verdict states.')
  await page.locator('#pick1').selectOption({ label: edges[0]!.to })
  await expect(page.locator('#panel .rests')).toContainText(`Edge ${edges[0]!.from} — ${edges[0]!.to}`)
  await expect(page.locator('#panel .evidence')).toContainText('Equivalence class: both directions fit equally well (Markov equivalence).')
  expect(faults).toEqual([])
})

test('the probabilities of long names fit their panel, and no head is cut into letters', async ({ page }) => {
  await open(page, 'long')
  const e = resultOf('long').edges.find((x: { from: string; to: string }) => x.from.startsWith('High') || x.to.startsWith('High'))
  await page.locator('#pick0').selectOption({ label: e.from })
  await page.locator('#pick1').selectOption({ label: e.to })
  const table = page.locator('table.shares')
  expect(await table.evaluate((t) => t.scrollWidth - t.parentElement!.clientWidth)).toBeLessThanOrEqual(0)
  for (const head of await table.locator('tbody th').all()) {
    expect((await head.boundingBox())!.height, 'one line of text').toBeLessThan(32)
  }
})
