import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostileNames } from './names'
import { files, out, polydag } from './paths'

// polydag serve as a visitor sees it: the real command, on a free port of this machine.
test.use({ offline: false })

let server: ChildProcess
let address = ''
let folder = ''

test.beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'served-'))
  server = spawn(polydag, ['serve', folder, '--listen', '127.0.0.1:0', '--no-token'], { stdio: ['ignore', 'pipe', 'inherit'] })
  address = await new Promise<string>((found, failed) => {
    let text = ''
    server.stdout!.on('data', (b: Buffer) => {
      text += b.toString()
      const m = /(http:\S+)/.exec(text)
      if (m) found(m[1]!)
    })
    server.on('exit', () => failed(new Error(`serve ended: ${text}`)))
  })
})

test.afterEach(() => {
  server.kill('SIGTERM')
})

test('a table is dropped, learned from and looked at', async ({ page }) => {
  const errors: string[] = []
  const elsewhere: string[] = []
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()))
  page.on('pageerror', (e) => errors.push(String(e)))
  page.on('request', (r) => {
    if (!r.url().startsWith(address) && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) elsewhere.push(r.url())
  })
  await page.goto(address)
  await expect(page.getByText('live', { exact: true })).toBeVisible()
  const axe = await new AxeBuilder({ page }).analyze()
  expect(axe.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')).toEqual([])

  await page.getByLabel('Table', { exact: true }).setInputFiles(`${files}/demo.csv`)
  await page.getByRole('button', { name: 'Learn' }).click()
  const link = page.getByRole('region', { name: 'Results' }).getByRole('link', { name: 'demo.json', exact: true })
  await expect(link).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('cell', { name: 'done' })).toBeVisible()
  await expect(page.locator('#said')).toHaveText(/^demo\.csv: done in [0-9.]+ s$/)
  await page.screenshot({ path: `${out}/serve.png`, fullPage: true })
  // The card has a picture of the graph.
  const picture = page.locator('.card img').first()
  await expect.poll(() => picture.evaluate((i) => (i as HTMLImageElement).naturalWidth), { timeout: 60_000 }).toBeGreaterThan(50)
  await link.click()
  await expect(page.getByText('9 of 9 edges shown')).toBeVisible()
  await page.getByRole('link', { name: 'All results' }).click()
  await expect(page.getByRole('heading', { name: 'Results' })).toBeVisible()
  expect(errors).toEqual([])
  expect(elsewhere).toEqual([])
})

test('a long run shows its progress and can be stopped', async ({ page }) => {
  await page.goto(address)
  await page.getByLabel('Method').selectOption('polydag')
  await page.getByLabel('Table', { exact: true }).setInputFiles(`${files}/d100.csv`)
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.getByText(/polydag, step \d+ of \d+/)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('img', { name: /^h from .* at step \d+ to .* at step \d+/ })).toBeVisible({ timeout: 20_000 })
  await page.waitForTimeout(600)
  await page.screenshot({ path: `${out}/serve-run.png`, fullPage: true })
  await page.getByRole('button', { name: 'Stop d100.csv' }).click()
  await expect(page.getByRole('cell', { name: 'stopped' })).toBeVisible({ timeout: 20_000 })
  expect(JSON.parse(readFileSync(join(folder, 'd100.json'), 'utf8')).status).toBe('canceled')
})

test('columns and knowledge are chosen before learning', async ({ page }) => {
  await page.goto(address)
  await page.getByText('Columns and prior knowledge').click()
  await page.getByLabel('Table', { exact: true }).setInputFiles(`${files}/demo.csv`)
  const columns = page.getByRole('group', { name: 'Columns' })
  await expect(columns.getByRole('checkbox')).toHaveCount(8)
  await page.getByRole('button', { name: 'none', exact: true }).click()
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.getByText('No column is selected.')).toBeVisible()
  for (const name of ['Male', 'Young', 'Bald']) await columns.getByLabel(name, { exact: true }).check()
  await page.getByLabel(/^Required edges/).fill('Male->Bald')
  await page.getByLabel(/^Forbidden edges/).fill('*->Young')
  const axe = await new AxeBuilder({ page }).analyze()
  expect(axe.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')).toEqual([])
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.getByRole('region', { name: 'Results' }).getByRole('link', { name: 'demo.json', exact: true })).toBeVisible({ timeout: 20_000 })
  const r = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))
  expect(r.names.toSorted()).toEqual(['Bald', 'Male', 'Young'])
  expect(r.edges.map((e: { from: string; to: string }) => `${e.from} ${e.to}`)).toContain('Male Bald')
  expect(r.edges.filter((e: { to: string }) => e.to === 'Young')).toEqual([])
})

test('two results of the list are compared', async ({ page }) => {
  for (const name of ['demo', 'geo', 'open', 'd100', 'dense']) copyFileSync(`${files}/${name}.json`, join(folder, `${name}.json`))
  await page.goto(address)
  await expect(page.getByRole('button', { name: 'Compare the selected two' })).toBeDisabled()
  await page.getByLabel('compare demo.json').check()
  await page.getByLabel('compare geo.json').check()
  for (const picture of await page.locator('.card img').all()) await expect.poll(() => picture.evaluate((i) => (i as HTMLImageElement).naturalWidth), { timeout: 60_000 }).toBeGreaterThan(50)
  await page.screenshot({ path: `${out}/serve-home.png`, fullPage: true })
  await page.getByRole('button', { name: 'Compare the selected two' }).click()
  await expect(page.getByRole('tab', { name: 'Compare' })).toBeVisible()
  await expect(page.locator('#view option').first()).toHaveText('A and B compared')
  await page.getByRole('link', { name: 'All results' }).click()
  await expect(page.getByLabel('compare demo.json')).toBeVisible()
})

test('names of files and columns stay text', async ({ page }) => {
  let fired = false
  await page.exposeFunction('fired', () => (fired = true))
  copyFileSync(`${files}/hostile.json`, join(folder, '<img src=x onerror=fired()>.json'))
  writeFileSync(join(folder, 'x.progress.json'), JSON.stringify({ name: '<img src=x onerror=fired()>', method: '</script>', state: 'running', seconds: 3, stage: '<b>order</b>', step: 1, steps: 2 }))
  await page.goto(address)
  const link = page.getByRole('link', { name: '<img src=x onerror=fired()>.json', exact: true })
  await expect(link).toBeVisible()
  await expect(page.getByText('<b>order</b>')).toBeVisible()
  await link.click()
  await expect(page.getByText(hostileNames[0]!).first()).toBeAttached()
  expect(fired).toBe(false)
})

test('a run with bootstrap samples has confidences, and an error names the form and not flags', async ({ page }) => {
  await page.goto(address)
  await page.getByLabel('Bootstrap samples').selectOption('100')
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: 'sure.csv', mimeType: 'text/csv', buffer: readFileSync(`${files}/demo.csv`) })
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.locator('#said')).toHaveText(/^sure\.csv: done in [0-9.]+ s$/, { timeout: 60_000 })
  expect(JSON.parse(readFileSync(join(folder, 'sure.json'), 'utf8')).confidence.replicates).toBe(100)
  const rows = Array.from({ length: 60 }, (_, i) => `${(i * 7) % 13},${(i * 5) % 11},${i % 2 ? (i * 3) % 17 : ''}`)
  await page.getByLabel('Missing values').selectOption('error')
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: 'hole.csv', mimeType: 'text/csv', buffer: Buffer.from(['a,b,employee_id', ...rows, ''].join('\n')) })
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.locator('#said')).toHaveText(/^hole\.csv: failed after [0-9.]+ s: .*“exclude the column employee_id”/, { timeout: 20_000 })
  await expect(page.locator('#said')).not.toContainText('--')
})

test('what is no table ends in a sentence', async ({ page }) => {
  await page.goto(address)
  const bad = join(folder, '..', `bad-${process.pid}.csv`)
  writeFileSync(bad, 'a,b\n1,2\n3,<script>alert(1)</script>\n')
  await page.getByLabel('Table', { exact: true }).setInputFiles(bad)
  await page.getByRole('button', { name: 'Learn' }).click()
  await expect(page.locator('#said').getByText(/fewer than two usable columns/)).toBeVisible({ timeout: 20_000 })
  await page.setViewportSize({ width: 360, height: 700 })
  await page.screenshot({ path: `${out}/serve-phone.png`, fullPage: true })
})
