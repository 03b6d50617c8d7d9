import { expect, test, type Page } from '@playwright/test'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { audit, picture } from './audit'
import { hostileNames } from './names'
import { faultsOf, overlapping, pick, ready } from './open'
import { files } from './paths'
import { serve, type Served, take } from './server'
import { practice } from './workbook'

// polydag serve as a visitor sees it: the real command, on a free port of this machine.
test.use({ offline: false })

let served: Served

test.beforeEach(async ({ page }) => {
  served = await serve()
  await page.goto(served.address)
  await expect(page.locator('html[data-ready]')).toBeAttached()
})

test.afterEach(() => {
  served.process.kill('SIGTERM')
})

const csv = (name: string, lines: string[]) => ({ name, mimeType: 'text/csv', buffer: Buffer.from([...lines, ''].join('\n')) })
const results = () => readdirSync(served.folder).filter((f) => f.endsWith('.json')).map((f) => JSON.parse(readFileSync(join(served.folder, f), 'utf8')))
const diabetes = async (page: Page) => {
  await page.getByRole('button', { name: /^Diabetes/ }).click()
  await ready(page)
}
const toast = (page: Page) => page.locator('#toast')

test('one click on an example gives a graph; the drivers have intervals; the view is one screen', async ({ page }) => {
  const errors: string[] = []
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()))
  await picture(page, 'start')
  await audit(page)
  await diabetes(page)
  await expect(page.locator('#panel .say').first()).toContainText(/raises|lowers/)
  await expect(page.locator('#question')).toBeVisible()
  expect(await overlapping(page)).toEqual([])
  expect(await faultsOf(page)).toEqual([])
  await audit(page)
  await page.locator('#left button.col', { hasText: 'progression' }).click()
  await page.getByRole('button', { name: 'What drives it?' }).click()
  await expect(page.locator('#panel .caveat')).toContainText('Hidden common causes', { timeout: 60_000 })
  await expect(page.locator('table.bars tbody tr').first()).toContainText('bmi')
  await picture(page, 'drivers')
  await page.locator('#panel .chips .chip', { hasText: /^sex$/ }).click()
  await expect(page.locator('.whom table').first()).toContainText('sex', { timeout: 60_000 })
  expect(errors).toEqual([])
})

test('what if: the slider stands at the box and moves that of the panel; the mark of a failed check shows its plot', async ({ page }) => {
  await diabetes(page)
  await page.locator('#left button.col', { hasText: 'bmi' }).click()
  await page.getByRole('button', { name: 'What if it changes?' }).click()
  const slider = page.getByLabel('Value at the column')
  await expect(slider).toBeVisible({ timeout: 90_000 })
  const note = page.locator('[data-node]').filter({ has: page.getByText('progression', { exact: true }) }).locator('.note')
  const before = await note.textContent()
  await slider.fill(await slider.getAttribute('max') ?? '')
  await expect(note).not.toHaveText(before!)
  expect(await page.locator('#panel #value').inputValue()).toBe(await slider.inputValue())
  expect(await page.locator('.line .stream').count()).toBeGreaterThan(2)
  const [at, box] = [(await page.locator('#handle').boundingBox())!, (await page.locator('[data-node].picked').boundingBox())!]
  expect(Math.abs(at.x + at.width / 2 - box.x - box.width / 2)).toBeLessThan(4)
  expect(at.y).toBeGreaterThan(box.y + box.height / 2)
  await picture(page, 'what-if')
  await audit(page)
  await page.keyboard.press('Escape')
  await expect(page.locator('#handle')).toBeHidden()
  await expect(page.locator('.line .stream')).toHaveCount(0)
  await page.locator('[data-node] .warn').first().click()
  await expect(page.locator('.doubt svg').first()).toBeInViewport()
  await audit(page)
})

test('what one knows is said on the canvas, taken back, and kept in a file', async ({ page }) => {
  await diabetes(page)
  await page.getByRole('button', { name: 'Yes: age, sex come first' }).click()
  await expect(page.locator('.band-title').first()).toHaveText('First', { timeout: 60_000 })
  await ready(page)
  const last = page.locator('[data-node]').filter({ has: page.getByText('progression', { exact: true }) })
  const box = (await last.boundingBox())!
  const stage = (await page.locator('#stage').boundingBox())!
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height - 80, { steps: 4 })
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height - 30, { steps: 4 })
  await page.mouse.up()
  await expect(page.locator('.band-title')).toHaveText(['First', 'In between', 'Last'], { timeout: 60_000 })
  await ready(page)
  await page.locator('.band-title').first().click()
  await page.getByLabel('Name of the band').fill('Given')
  await page.keyboard.press('Enter')
  await expect(page.locator('.band-title')).toHaveText(['Given', 'In between', 'Last'])
  expect(await faultsOf(page)).toEqual([])
  await picture(page, 'knowledge')
  const edges = results().at(-1).edges as { from: string; to: string }[]
  expect(edges.filter((e) => e.to === 'age' && e.from !== 'sex')).toEqual([])
  // The keyboard opens the menu of a column.
  await pick(page, 'glucose')
  await page.locator('[data-node].picked').focus()
  await page.keyboard.press('m')
  await page.getByRole('menuitemradio', { name: 'It causes nothing in the table' }).click()
  await ready(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'What you said' }).click()
  await expect(page.locator('ul.said li')).toHaveCount(3)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save' }).click()])
  const spec = JSON.parse(readFileSync((await file.path())!, 'utf8'))
  expect(spec.tiers.map((t: string[]) => t.length)).toEqual([2, expect.any(Number), 1])
  expect(spec.forbid).toContain('glucose->*')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await ready(page)
  await expect(page.locator('ul.said li')).toHaveCount(2)
  await page.getByRole('button', { name: 'Redo', exact: true }).click()
  await ready(page)
  await expect(page.locator('ul.said li')).toHaveCount(3)
})

test('a question is answered, and the page says what it changed', async ({ page }) => {
  await diabetes(page)
  await expect(page.locator('#question')).toContainText('Which comes first?')
  await page.locator('#question').getByRole('button', { name: 'Skip' }).click()
  await page.locator('#question .answers .btn').first().click()
  await expect(toast(page)).toContainText('Drawn again', { timeout: 60_000 })
  await ready(page)
  await expect(page.locator('#undo')).toBeEnabled()
})

test('an own graph is drawn and tested, and effects are estimated on it', async ({ page }) => {
  await diabetes(page)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Draw your own graph' }).click()
  await pick(page, 'age')
  await pick(page, 'bmi', true)
  await page.getByRole('button', { name: 'Draw age → bmi' }).click()
  await expect(page.locator('.line.own')).toHaveCount(1)
  await page.getByRole('button', { name: 'Test it against the table' }).click()
  await expect(page.locator('#panel [role=status]')).toContainText('nothing to test', { timeout: 60_000 })
  // A chain of three says that its ends are independent given the middle.
  await pick(page, 'bmi')
  await pick(page, 'glucose', true)
  await page.getByRole('button', { name: 'Draw bmi → glucose' }).click()
  await expect(page.locator('.line.own')).toHaveCount(2)
  await page.getByRole('button', { name: 'Test it against the table' }).click()
  await expect(page.locator('#panel [role=status]')).toContainText('contradicts this graph at 1 place', { timeout: 60_000 })
  await expect(page.locator('.line.lacking')).toHaveCount(1)
  await picture(page, 'own')
  await page.getByRole('button', { name: 'Estimate effects on it' }).click()
  await ready(page)
  await expect(page.locator('.line')).toHaveCount(2, { timeout: 60_000 })
})

test('columns have kinds and roles as chips, settings are in place, and the code repeats the run', async ({ page }) => {
  await take(page, `${files}/demo.csv`)
  await ready(page)
  await pick(page, 'light')
  await page.getByTitle('What the column is used as').click()
  await page.getByRole('menuitemradio', { name: 'excluded' }).click()
  await ready(page)
  await expect(page.locator('[data-node]')).toHaveCount(7)
  await expect(page.locator('#left .aside')).toContainText('light')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.getByRole('group', { name: 'Bootstrap samples' }).getByRole('button', { name: '100', exact: true }).click()
  await ready(page)
  await page.locator('#share').click()
  await expect(page.locator('#command')).toHaveText('polydag learn demo.csv --drop light --bootstrap 100 --output demo.json --report demo.html')
  await expect(page.locator('#python')).toContainText('drop="light"')
  await expect(page.locator('#methods')).toContainText('500 rows')
  const [report] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Report' }).click()])
  expect(readFileSync((await report.path())!, 'utf8')).toContain('polydag.page/4')
})

test('a workbook: the sheet with the table is read, a code for missing values is a click, another sheet a click', async ({ page }) => {
  await take(page, { name: 'praxis.xlsx', mimeType: 'application/octet-stream', buffer: practice() })
  await ready(page)
  const sheet = (name: string) => page.getByRole('group', { name: 'Sheet' }).getByRole('button', { name, exact: true })
  await expect(sheet('Daten')).toHaveAttribute('aria-pressed', 'true')
  await expect(page.locator('#left .columns').first()).toContainText('Glukose')
  await expect(page.locator('#left .aside')).toContainText('Bemerkung')
  await page.getByRole('button', { name: 'Yes: −999 in Glukose means missing' }).click()
  await expect(page.locator('#left .col', { hasText: 'Glukose' })).toContainText('10 values missing', { timeout: 60_000 })
  await ready(page)
  expect(results().at(-1).edges.map((e: { from: string; to: string }) => [e.from, e.to].sort().join())).toEqual(expect.arrayContaining(['Betrag,Glukose', 'CRP,Glukose']))
  expect(await overlapping(page)).toEqual([])
  await page.locator('#share').click()
  await expect(page.locator('#command')).toContainText('--set sheet=Daten')
  await sheet('Wetter').click()
  await expect(page.locator('[data-node]')).toHaveCount(3, { timeout: 60_000 })
  await ready(page)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.locator('[data-node]')).toHaveCount(5, { timeout: 60_000 })
  await ready(page)
  await expect(page.locator('#left .col', { hasText: 'Glukose' })).toContainText('10 values missing')
})

test('results of the folder are opened and compared', async ({ page }) => {
  for (const name of ['demo', 'open']) copyFileSync(`${files}/${name}.json`, join(served.folder, `${name}.json`))
  await page.getByRole('button', { name: 'Results in this folder (2)' }).click()
  await page.locator('ul.results button.col', { hasText: 'open' }).click()
  await expect(page.locator('html[data-graph]')).toBeAttached()
  await expect(page.locator('#crumb')).toContainText('8 columns')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Results in this folder' }).click()
  for (const name of ['demo', 'open']) await page.getByRole('button', { name: `Compare ${name}.json` }).click()
  await page.getByRole('button', { name: 'Compare the chosen two' }).click()
  await expect(page.locator('#panel')).toContainText('A and B')
})

test('a long run shows its progress and can be stopped', async ({ page }) => {
  await take(page, `${files}/d100.csv`)
  await expect(page.locator('#progress')).toContainText(/Learning|Reading/)
  await page.locator('#progress button').click()
  await expect(page.locator('html[data-busy="false"]')).toBeAttached({ timeout: 90_000 })
  expect((await page.locator('html[data-graph]').count()) + (await page.locator('#problem').count())).toBeGreaterThan(0)
})

test('what is no table ends in a sentence, also on a phone and in the dark', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await take(page, csv('empty.csv', ['a,b']))
  await expect(page.locator('html[data-busy="false"]')).toBeAttached({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Answer' }).click()
  await expect(page.locator('#problem')).toBeVisible()
  await expect(page.locator('#problem')).not.toContainText('--')
  expect(await overlapping(page)).toEqual([])
  await page.locator('#home').click()
  await expect(page.getByRole('heading', { name: 'What drives what in your table?' })).toBeVisible()
})

test('names of files and columns stay text', async ({ page }) => {
  const names = hostileNames.map((n) => `"${n.replaceAll('"', '""')}"`)
  const rows = Array.from({ length: 60 }, (_, i) => names.map((_, k) => ((i * (k + 3) * 7919) % 101) + (k > 0 ? i : 0)).join(','))
  await take(page, csv('<img src=x onerror=alert(1)>.csv', [names.join(','), ...rows]))
  await expect(page.locator('html[data-busy="false"]')).toBeAttached({ timeout: 90_000 })
  expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined()
  expect(await page.locator('#left img, #graph img').count()).toBe(0)
})

// Tables of real studies. They are not part of the project; ../shared/data beside it has them.
const shared = process.env.POLYDAG_DATA ?? join(import.meta.dirname, '../../../shared/data')
for (const name of ['known-order/datasets_iris.csv.gz', 'known-order/MASS_birthwt.csv.gz', 'known-order/modeldata_penguins.csv.gz', 'known-order/carData_TitanicSurvival.csv.gz', 'known-order/survival_lung.csv.gz']) {
  test(`${name} becomes a graph in one gesture, at three sizes`, async ({ page }) => {
    if (!existsSync(join(shared, name))) console.log(`skipped: ${join(shared, name)} is not there; POLYDAG_DATA names a folder that has it`)
    test.skip(!existsSync(join(shared, name)), 'the table is not there')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await take(page, join(shared, name))
    await ready(page)
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]] as const) {
      await page.setViewportSize({ width, height })
      await page.waitForTimeout(300)
      await picture(page, `${name.replaceAll(/\W/g, '-')}-${width}`)
      expect(await overlapping(page), String(width)).toEqual([])
      expect(await faultsOf(page), String(width)).toEqual([])
    }
  })
}
