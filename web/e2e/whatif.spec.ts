import { expect, type Page } from '@playwright/test'
import { audit, picture } from './audit'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from './one'
import { clickNode, open } from './open'
import { files, polydag } from './paths'

// The tab What if: a variable is set, and the others are predicted with the numbers of polydag effect.

interface Quantity { value: number; low: number; high: number }
interface Distribution { do: string; mean?: Quantity; levels?: ({ name: string } & Quantity)[] }

const effect = (name: string, of: string, on: string, ...more: string[]) =>
  JSON.parse(execFileSync(polydag, ['effect', `${files}/${name}.json`, '--of', of, '--on', on, '--json', ...more], { encoding: 'utf8' })) as { distributions: Distribution[] }
const digits = (x: number, n: number) => String(Number(x.toPrecision(n))).replaceAll('-', '−')
const row = (page: Page, name: string) => page.locator('#predicted tbody > tr').filter({ has: page.getByRole('button', { name, exact: true }) })

test('a linear model: the slider, a click in the graph, and what does not change', async ({ page }) => {
  const { faults } = await open(page, 'demo')
  await page.getByRole('tab', { name: 'What if' }).click()
  await expect(page.locator('#panel')).toContainText('Choose a variable here or in the graph')
  await clickNode(page, 'mist')
  await expect(page.locator('#set')).toHaveValue('0')
  await page.locator('#value').focus()
  await page.keyboard.press('End')
  const male = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8')).nodes[0] as { mean: number; std: number }
  const [d] = effect('demo', 'mist', 'ice_cream_scoops', '--do', String(male.mean + 2 * male.std)).distributions
  await expect(row(page, 'ice_cream_scoops')).toContainText(`${digits(d!.mean!.value, 4)}${digits(d!.mean!.low, 3)} to ${digits(d!.mean!.high, 3)}`)
  await expect(page.locator('#value')).toHaveAttribute('aria-valuetext', digits(male.mean + 2 * male.std, 3))
  await expect(page.locator('#panel')).toContainText('Unchanged in this graph: light, lamps_lit.')
  expect(await page.locator('.scroll').first().evaluate((e) => e.scrollWidth - e.clientWidth), 'fits its panel').toBeLessThanOrEqual(0)
  await audit(page, '#panel')
  await picture(page, 'whatif')
  await clickNode(page, 'moss')
  await expect(page.locator('#panel')).toContainText('moss has no effect on another variable in this graph')
  expect(faults).toEqual([])
})

test('categories and curves: a choice or a slider, with intervals', async ({ page }) => {
  const { faults } = await open(page, 'mixed')
  await page.getByRole('tab', { name: 'What if' }).click()
  await page.locator('#set').selectOption({ label: 'city' })
  await page.locator('#value').selectOption({ label: 'Linz' })
  const at = (on: string) => effect('mixed', 'city', on, '--data', `${files}/mixed.csv`, '--do', 'Linz', '--set', 'given-graph', '--set', 'replicates=20').distributions[0]!
  await expect(row(page, 'pay').locator('strong')).toHaveText(digits(at('pay').mean!.value, 4))
  await expect(row(page, 'pay')).toContainText(' to ')
  for (const l of at('plan').levels!) await expect(row(page, 'plan')).toContainText(l.name)
  await page.locator('#set').selectOption({ label: 'age' })
  const before = await row(page, 'pay').locator('strong').textContent()
  await page.locator('#value').fill('0')
  await expect(row(page, 'pay').locator('strong')).not.toHaveText(before!)
  expect(faults).toEqual([])
})

test('a time series: the change over the next steps', async ({ page }) => {
  const { faults } = await open(page, 'series')
  const { lagged, nodes } = JSON.parse(readFileSync(`${files}/series.json`, 'utf8')) as { lagged: { from: string; to: string }[]; nodes: { name: string; std: number }[] }
  const { from, to } = lagged.find((e) => e.from !== e.to)!
  await page.getByRole('tab', { name: 'What if' }).click()
  await page.locator('#set').selectOption({ label: from })
  await page.locator('#value').fill('40')
  await expect(page.locator('#predicted')).toContainText(`is changed by +${digits(2 * nodes.find((n) => n.name === from)!.std, 3)} for one time step`)
  await expect(row(page, to)).toContainText(/at step \d+/)
  expect(faults).toEqual([])
})

for (const [name, sentence] of [['bare', 'Predictions under this model need the table'], ['cpdag', 'Predictions need a DAG']] as const) {
  test(`${name}: one sentence says why there is no prediction`, async ({ page }) => {
    await open(page, name)
    await page.getByRole('tab', { name: 'What if' }).click()
    await expect(page.locator('#panel')).toContainText(sentence)
  })
}

test('what an intervention may change, where a direction is not stated, is named', async ({ page }) => {
  const { edges } = JSON.parse(readFileSync(`${files}/verdicts.json`, 'utf8')) as { edges: { from: string; to: string; verdict: string }[] }
  const loose = edges.find((e) => e.verdict === 'undirected')!
  const { faults } = await open(page, 'verdicts')
  await page.getByRole('tab', { name: 'What if' }).click()
  await page.locator('#set').selectOption({ label: loose.to })
  await expect.poll(() => page.locator('#possible').textContent()).toContain(loose.from)
  await audit(page, '#panel')
  expect(faults).toEqual([])
})
