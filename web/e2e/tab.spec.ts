import { expect, test, type Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pick, ready } from './open'
import { files, out, polydag } from './paths'
import { take } from './server'

// The program inside a page, opened from a disk and without a network. make try builds it.
const built = resolve(import.meta.dirname, '../../out/try/index.html')

// All tests use one page: compiling the program takes seconds.
let page: Page
const faults: string[] = []

test.beforeAll(async ({ browser }) => {
  if (!existsSync(built)) throw new Error(`${built} is not there: run make try`)
  mkdirSync(out, { recursive: true })
  mkdirSync(files, { recursive: true })
  page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })).newPage()
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') faults.push(`console ${m.type()}: ${m.text()}`)
  })
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`))
  page.on('request', (r) => {
    const url = r.url()
    if (url.split('#')[0] !== `file://${built}` && !url.startsWith('blob:') && !url.startsWith('data:')) faults.push(`request: ${url}`)
  })
  await page.goto(`file://${built}`)
  await expect(page.locator('html[data-ready]')).toBeAttached({ timeout: 120_000 })
})

test.afterAll(() => page.context().close())

// edges are those of a result with what can be compared between machines that round differently.
const edges = (text: string) => JSON.parse(text).edges.map((e: { from: string; to: string; weight: number }) => `${e.from} ${e.to} ${e.weight.toPrecision(9)}`)

async function saved(name: string): Promise<string> {
  await page.locator('#share').click()
  const [d] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
  return readFileSync((await d.path())!, 'utf8')
}

test('a table is read and learned from as the command does', async () => {
  await take(page, `${files}/demo.csv`)
  await ready(page, 120_000)
  expect(edges(await saved('Result (JSON)'))).toEqual(edges(execFileSync(polydag, ['learn', `${files}/demo.csv`, '--output', '-', '--quiet'], { encoding: 'utf8' })))
  expect(await saved('Report')).toContain('polydag.page/4')
  await expect(page.locator('#command')).toHaveText('polydag learn demo.csv --output demo.json --report demo.html')
  expect(faults).toEqual([])
})

test('the example with its truth, drivers with the table, and an own graph', async () => {
  await page.locator('#home').click()
  await page.getByRole('button', { name: /^Simulated/ }).click()
  await ready(page, 120_000)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitemradio', { name: /compared with the truth/ }).click()
  await expect(page.locator('#panel')).toContainText('9 edges')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitemradio', { name: /^demo$/ }).or(page.getByRole('menuitemradio').first()).last().click()
  await pick(page, 'ice_cream_scoops')
  await page.getByRole('button', { name: 'What drives it?' }).click()
  await expect(page.locator('#panel .caveat')).toContainText('hidden common cause', { timeout: 120_000 }) // the words of the program
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Start from the learned graph' }).click()
  await page.getByRole('button', { name: 'Test it against the table' }).click()
  await expect(page.locator('#panel [role=status]')).toContainText(/[1-9]\d* independences tested/, { timeout: 120_000 })
  expect(faults).toEqual([])
})

test('what is no table ends in a sentence', async () => {
  await page.locator('#home').click()
  await take(page, { name: 'none.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n') })
  await expect(page.locator('#problem')).toBeVisible({ timeout: 60_000 })
  await expect(page.locator('#problem')).not.toContainText('--')
})
