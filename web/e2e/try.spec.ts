import { expect, test, type Page } from '@playwright/test'
import { audit, picture } from './audit'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { hostileNames } from './names'
import { files, out, polydag } from './paths'
import { learned, unfold } from './server'

// The program inside a page, opened from a disk and without a network. make try builds it.
const built = resolve(import.meta.dirname, '../../out/try/index.html')

// All tests use one page: compiling the program takes seconds.
let page: Page
let faults: string[] = []

test.beforeAll(async ({ browser }) => {
  if (!existsSync(built)) throw new Error(`${built} is not there: run make try`)
  mkdirSync(out, { recursive: true })
  mkdirSync(files, { recursive: true })
  page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } })).newPage()
  faults = await enter(page)
  console.log(await page.locator('#state').textContent())
})

test.afterAll(() => page.context().close())

// enter opens the page and keeps a list of everything that must not happen.
async function enter(page: Page): Promise<string[]> {
  const faults: string[] = []
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') faults.push(`console ${m.type()}: ${m.text()}`)
  })
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`))
  page.on('request', (r) => {
    const url = r.url()
    if (url !== `file://${built}` && !url.startsWith('blob:') && !url.startsWith('data:')) faults.push(`request: ${url}`)
  })
  await page.goto(`file://${built}`)
  await expect(page.locator('html[data-ready]')).toBeAttached({ timeout: 60_000 })
  return faults
}

// saved is what a link of the last step downloads.
async function saved(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: '5 Share' }).click()
  const [d] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
  return readFileSync((await d.path())!, 'utf8')
}

// edges are those of a result with what can be compared between machines that round differently.
const edges = (text: string) => JSON.parse(text).edges.map((e: { from: string; to: string; weight: number }) => `${e.from} ${e.to} ${e.weight.toPrecision(9)}`)

test('30 columns of 10,000 rows are read and learned from as the command does', async () => {
  const csv = `${files}/try30.csv`
  execFileSync(polydag, ['simulate', '--nodes', '30', '--set', 'degree=4', '--rows', '10000', '--seed', '7', '--output', csv, '--truth', `${files}/try30-truth.csv`])
  await page.getByLabel('Table', { exact: true }).setInputFiles(csv)
  await expect(page.getByText('10000 rows, 30 columns')).toBeVisible({ timeout: 60_000 })
  const begun = Date.now()
  await page.getByRole('button', { name: 'Learn the graph' }).click()
  await learned(page, 90_000)
  console.log(`read, learned and drawn in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  const json = await saved(page, 'Result (JSON)')
  const reference = execFileSync(polydag, ['learn', csv, '--output', '-', '--quiet'], { encoding: 'utf8' })
  expect(edges(json)).toEqual(edges(reference))
  expect(await saved(page, 'Picture (SVG)')).toContain('<svg')
  for (const [kind, begin] of [['PDF', '%PDF-1'], ['PNG', '\ufffdPNG']] as const) {
    const [d] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Picture (${kind})` }).click()])
    expect(readFileSync((await d.path())!, 'utf8').slice(0, 6)).toContain(begin.slice(0, 6))
    await expect.poll(() => page.getByRole('button', { name: `Picture (${kind})`, exact: true }).isEnabled()).toBe(true)
  }
  await expect(page.locator('#methods')).toContainText('30 variables from 10,000 rows of try30.csv')
  expect(await page.locator('#command').textContent()).toBe('polydag learn try30.csv --output try30.json --report try30.html')
  await picture(page, 'try', true)
  expect(faults).toEqual([])
})

// The table of a real study. It is not part of the project; POLYDAG_DATA, or ../shared/data beside it, has it.
const published = resolve(process.env.POLYDAG_DATA ?? resolve(import.meta.dirname, '../../../shared/data'), 'celeba_hq/CelebAMask-HQ-attribute-anno.txt.gz')

test('ten attributes of 3,000 faces are read and learned from as the command does', async () => {
  if (!existsSync(published)) console.log(`skipped: ${published} is not there; POLYDAG_DATA names a folder that has it`)
  test.skip(!existsSync(published), `${published} is not there`)
  const lines = gunzipSync(readFileSync(published)).toString().trim().split('\n').slice(1, 3002)
  const csv = `${files}/faces.csv`
  writeFileSync(csv, lines.map((l, i) => l.trim().split(/\s+/).slice(i === 0 ? 0 : 1, i === 0 ? 10 : 11).join(',')).join('\n') + '\n')
  await page.getByLabel('Table', { exact: true }).setInputFiles(csv)
  await expect(page.getByText('3000 rows, 10 columns')).toBeVisible({ timeout: 60_000 })
  const begun = Date.now()
  await page.getByRole('button', { name: 'Learn the graph' }).click()
  await learned(page, 150_000)
  console.log(`faces: read, learned and drawn in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  const json = await saved(page, 'Result (JSON)')
  expect(edges(json)).toEqual(edges(execFileSync(polydag, ['learn', csv, '--output', '-', '--quiet'], { encoding: 'utf8' })))
  expect(faults).toEqual([])
})

test('the page of a result is the one that polydag report writes', async () => {
  await page.getByRole('button', { name: 'or use the example' }).click()
  await expect(page.getByText('500 rows, 8 columns')).toBeVisible({ timeout: 60_000 })
  await audit(page)
  await page.getByRole('button', { name: 'Add what you know' }).click()
  await page.getByLabel('Position of light').selectOption('root')
  await page.getByRole('button', { name: '3 Learn' }).click()
  await unfold(page, 'advanced')
  await page.getByLabel('Bootstrap samples').selectOption('100')
  await page.getByRole('button', { name: 'Learn', exact: true }).click()
  await learned(page, 60_000)
  await expect(page.locator('#answer')).toContainText('among 8 variables')
  const json = await saved(page, 'Result (JSON)')
  const html = await saved(page, 'Report (HTML)')
  const r = JSON.parse(json)
  expect(r.edges.filter((e: { to: string }) => e.to === 'light')).toEqual([])
  expect(r.edges.every((e: { confidence: number }) => e.confidence >= 0)).toBe(true)
  writeFileSync(`${files}/tried.json`, json)
  execFileSync(polydag, ['report', 'tried.json', '--output', 'tried.html'], { cwd: files })
  const data = (text: string) => JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(text)![1]!)
  const here = data(html), there = data(readFileSync(`${files}/tried.html`, 'utf8'))
  expect(here.drawings).toEqual(there.drawings) // Graphviz by the browser and by the command
  expect(here.results[0].result.edges).toEqual(there.results[0].result.edges)
  expect(faults).toEqual([])
})

test('a run shows its progress, is stopped, and gives its best so far', async () => {
  const csv = `${files}/try60.csv`
  execFileSync(polydag, ['simulate', '--nodes', '60', '--set', 'degree=6', '--rows', '2000', '--seed', '3', '--output', csv, '--truth', `${files}/try60-truth.csv`])
  await page.getByLabel('Table', { exact: true }).setInputFiles(csv)
  await expect(page.getByText('2000 rows, 60 columns')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: '3 Learn' }).click()
  await unfold(page, 'advanced')
  await page.getByLabel('Method').selectOption('polydag')
  await page.getByRole('button', { name: 'Learn', exact: true }).click()
  await expect(page.getByText(/polydag, step \d+ of \d+/)).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.locator('#now')).toHaveText(/^Stopped after [0-9.]+ s\.$/, { timeout: 60_000 })
  expect(JSON.parse(await saved(page, 'Result (JSON)')).status).toBe('canceled')
  // A second one ends the run wherever it is, and the next run is not disturbed.
  await page.getByRole('button', { name: '3 Learn' }).click()
  await page.getByRole('button', { name: 'Learn', exact: true }).click()
  await page.locator('#stop').evaluate((b: HTMLElement) => (b.click(), b.click()))
  await expect(page.getByText('stopped before there was a result')).toBeVisible()
  await page.getByRole('button', { name: 'or use the example' }).click()
  await expect(page.getByText('500 rows, 8 columns')).toBeVisible({ timeout: 60_000 })
})

test('other formats are read', async () => {
  for (const [n, name] of [[200, 'try.parquet'], [210, 'try.npy'], [220, 'try.csv.gz']] as const) {
    execFileSync(polydag, ['simulate', '--nodes', '5', '--set', 'degree=2', '--rows', String(n), '--output', name, '--truth', 'try-truth.csv'], { cwd: files, stdio: ['ignore', 'ignore', 'ignore'] })
    await page.getByLabel('Table', { exact: true }).setInputFiles(`${files}/${name}`)
    await expect(page.getByText(`${n} rows, 5 columns`)).toBeVisible({ timeout: 60_000 })
  }
  expect(faults).toEqual([])
})

test('hostile names stay text, and what is no table ends in a sentence', async () => {
  let fired = false
  await page.exposeFunction('fired', () => (fired = true))
  const quoted = hostileNames.slice(0, 3).map((n) => `"${n.replaceAll('"', '""')}"`).join(',')
  const rows = Array.from({ length: 60 }, (_, i) => [i % 7, (i * i) % 11, (3 * i + (i % 5)) % 13].join(','))
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: '<img src=x onerror=fired()>.csv', mimeType: 'text/csv', buffer: Buffer.from(`${quoted}\n${rows.join('\n')}\n`) })
  await expect(page.getByText('60 rows, 3 columns')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Learn the graph' }).click()
  await learned(page, 60_000)
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: 'bad.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n3\n') })
  await expect(page.getByRole('alert')).toContainText('bad.csv', { timeout: 60_000 })
  await expect(page.getByRole('button', { name: 'Learn the graph' })).toBeDisabled() // of what was not read
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: 'x.db', mimeType: '', buffer: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4096)]) })
  await expect(page.getByRole('alert')).toContainText('it is an SQLite database: run sqlite3', { timeout: 60_000 })
  // Messages name the page and not flags, and their buttons solve the problem.
  const rows60 = Array.from({ length: 60 }, (_, i) => `${(i * 7) % 13},${(i * 5) % 11},${i % 2 ? (i * 3) % 17 : ''}`)
  await page.getByLabel('Table', { exact: true }).setInputFiles({ name: 'hole.csv', mimeType: 'text/csv', buffer: Buffer.from(['a,b,employee_id', ...rows60, ''].join('\n')) })
  await unfold(page, 'reading')
  await page.getByLabel('Missing values', { exact: true }).selectOption('error')
  const problem = page.locator('.finding.error')
  await expect(problem).toContainText('employee_id', { timeout: 60_000 })
  await expect(page.locator('main')).not.toContainText('--')
  await problem.getByRole('button', { name: 'Exclude the column employee_id' }).click()
  await expect(problem).toHaveCount(0, { timeout: 60_000 })
  await page.getByRole('button', { name: 'Learn the graph' }).click()
  await learned(page, 60_000)
  expect(JSON.parse(await saved(page, 'Result (JSON)')).names).toEqual(['a', 'b'])
  expect(fired).toBe(false)
  expect(faults).toEqual([])
})
