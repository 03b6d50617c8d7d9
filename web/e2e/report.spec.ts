import { expect } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostileNames } from './names'
import { test } from './one'
import { faultsOf, open, pick } from './open'
import { files, polydag } from './paths'

// The report: one file from a disk, without a network.

test('opens from disk with the network off: no request, no error, and none possible', async ({ page }) => {
  const { faults } = await open(page, 'rich')
  await expect(page.locator('#panel .say').first()).toBeVisible()
  for (const tab of ['Details of the run', 'How to read this']) {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: tab }).click()
  }
  await page.getByRole('button', { name: /^Checks/ }).click()
  await page.locator('#share').click()
  expect(faults).toEqual([])
  const blocked = await page.evaluate(() => fetch('https://example.org').then(() => 'sent', () => 'refused'))
  expect(blocked).toBe('refused')
  expect(statSync(`${files}/demo.html`).size).toBeLessThan(900_000)
})

test('the answer comes first, a column next, and two columns begin with the caveat', async ({ page }) => {
  await open(page, 'demo')
  await expect(page.locator('#panel .say').first()).toContainText(/raises|lowers/)
  await pick(page, 'mist')
  await expect(page.locator('#panel h2').first()).toHaveText('mist')
  await expect(page.locator('[data-node].picked')).toHaveCount(1)
  await pick(page, 'moss', true)
  const parts = page.locator('#panel > *')
  await expect(parts.nth(1)).toHaveClass(/caveat/)
  await expect(page.locator('#panel .say').first()).toContainText('standard deviation more of mist')
  const answer = JSON.parse(execFileSync(polydag, ['effect', 'demo.json', '--of', 'mist', '--on', 'moss', '--json'], { cwd: files, encoding: 'utf8' }))
  const total = answer.effects[0].total.value as number
  await expect(page.locator('#panel .facts dd').first()).toHaveText(String(Number(total.toPrecision(4))).replace('-', '−'))
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-node].picked')).toHaveCount(0)
})

test('what drives a column, in standard deviations and in units', async ({ page }) => {
  await open(page, 'demo')
  await page.locator('#search').fill('what drives ice')
  await page.keyboard.press('Enter')
  await expect(page.locator('#panel h2').first()).toHaveText('What drives ice_cream_scoops?')
  const rows = page.locator('table.bars tbody tr')
  expect(await rows.count()).toBeGreaterThan(1)
  const sd = await rows.first().locator('td.n').textContent()
  await expect(page.locator('.line.dim').first()).toBeAttached()
  await page.getByRole('button', { name: 'units' }).click()
  await expect(rows.first().locator('td.n')).not.toHaveText(sd!)
})

test('what if: the slider moves what the boxes say', async ({ page }) => {
  await open(page, 'demo')
  await pick(page, 'mist')
  await page.getByRole('button', { name: 'What if it changes?' }).click()
  const note = page.locator('[data-node]', { hasText: 'guests_today' }).locator('.note')
  await page.locator('#value').fill('40')
  const high = await note.textContent()
  expect(high).toContain('→')
  await page.locator('#value').fill('0')
  await expect(note).not.toHaveText(high!)
  await page.keyboard.press('Escape')
  await expect(page.locator('.node .note')).toHaveCount(0)
})

test('categories, curves, a budget, environments and undirected edges say what they are', async ({ page }) => {
  await open(page, 'levels')
  await pick(page, 'season')
  await pick(page, 'rain', true)
  await expect(page.locator('#panel table.shares').first()).toBeVisible()
  await open(page, 'curved')
  await pick(page, 'temp')
  await pick(page, 'growth', true)
  await expect(page.locator('#panel .chart').first()).toBeVisible()
  await open(page, 'budget')
  await expect(page.locator('#panel')).toContainText('3 edges')
  await open(page, 'environments')
  await expect(page.locator('#panel')).toContainText(/environment/i)
  await open(page, 'undirected')
  await expect(page.locator('#panel .say').first()).toContainText('no direction is settled')
  expect(await page.locator('.line .head').count()).toBe(0)
  await open(page, 'bare')
  await pick(page, 'season')
  await page.getByRole('button', { name: 'What if it changes?' }).click()
  await expect(page.locator('#panel .empty')).toContainText('polydag report --data')
})

test('verdicts: only directed edges have a head, weak ones are dotted, names are marked, and the tip explains', async ({ page }) => {
  await open(page, 'verdicts')
  for (const line of await page.locator('.graph .line').all()) {
    const kind = (await line.getAttribute('class'))!
    expect(await line.locator('.head').count()).toBe(/directed/.test(kind) && !/undirected/.test(kind) ? 1 : 0)
  }
  expect(await page.locator('.line.directed .basis').count()).toBeGreaterThan(0)
  await page.locator('.line.weak .hit').first().dispatchEvent('pointerover')
  await expect(page.locator('#tip')).toContainText('may be chance')
  await page.locator('#legend-key').click()
  await expect(page.locator('#legend')).toContainText('rests on names')
  await page.locator('#edges').click()
  await page.getByRole('menuitemradio', { name: 'Only those with a direction' }).click()
  await expect(page.locator('.graph .line.weak, .graph .line.undirected')).toHaveCount(0)
})

test('against the truth, two results, and several methods', async ({ page }) => {
  await open(page, 'truth')
  await expect(page.locator('#panel')).toContainText('Compared with the truth')
  await page.locator('#legend-key').click()
  await expect(page.locator('#legend')).toContainText('missing: in the truth only')
  await open(page, 'compare')
  await expect(page.locator('#panel')).toContainText('A and B')
  await open(page, 'methods')
  await expect(page.locator('#panel table').first()).toContainText('order')
  await page.locator('#panel table').first().getByRole('button', { name: 'ges', exact: true }).click()
  await expect(page.locator('#crumb')).toContainText('ges')
})

test('matrix, list and time', async ({ page }) => {
  await open(page, 'series')
  await page.locator('#how-time').click()
  await expect(page.locator('#time .edge').first()).toBeAttached()
  await page.locator('#how-matrix').click()
  await expect(page.locator('#matrix')).toBeVisible()
  await page.locator('#how-list').click()
  await expect(page.locator('#list')).toContainText('Edges and variables')
  await page.locator('#list .sort, #list th button').first().click()
  await page.locator('#list tbody button').first().click()
  await expect(page.locator('#panel h2').first()).toBeVisible()
  await open(page, 'dense')
  await expect(page.locator('#how-time')).toBeHidden()
  await expect(page.locator('#edges')).toContainText('60 of')
  expect(await page.locator('.graph .line').count()).toBe(60)
})

test('300 columns open as groups; a click opens one, the search finds a column', async ({ page }) => {
  const { faults } = await open(page, 'd300')
  const groups = await page.locator('.node.group').count()
  expect(groups).toBeGreaterThan(5)
  expect(groups).toBeLessThanOrEqual(31)
  await page.locator('.node.group').first().click()
  await expect(page.locator('.node.group')).toHaveCount(groups - 1)
  await page.locator('.line.bundle .hit').first().dispatchEvent('pointerdown')
  await pick(page, 'x17')
  await expect(page.locator('[data-node].picked')).toHaveCount(1)
  await page.locator('#edges').click()
  await page.getByRole('menuitem', { name: 'Show every column' }).click()
  await expect(page.locator('.node')).toHaveCount(300)
  expect(faults).toEqual([])
})

test('a sensitive column is marked, and the caution stands in the answer', async ({ page }) => {
  await open(page, 'rich')
  await expect(page.locator('.node.sensitive')).toHaveCount(1)
  await expect(page.locator('#panel .caution')).toContainText('Read with care')
  await pick(page, 'light')
  await page.locator('#flag').check()
  await expect(page.locator('.node.sensitive')).toHaveCount(2)
})

test('the keyboard walks the graph and selects', async ({ page }) => {
  await open(page, 'demo')
  const first = page.locator('[data-node][tabindex="0"]')
  await first.focus()
  const begin = await first.getAttribute('data-node')
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'ArrowDown']) await page.keyboard.press(key)
  const now = page.locator('[data-node]:focus')
  await expect(now).toHaveCount(1)
  expect(begin).not.toBeNull()
  await page.keyboard.press('Enter')
  await expect(now).toHaveClass(/picked/)
  await page.keyboard.press('/')
  await expect(page.locator('#search')).toBeFocused()
})

test('a link restores the view, and the picture is saved', async ({ page }) => {
  await open(page, 'demo')
  await pick(page, 'moss')
  await page.getByRole('button', { name: 'What drives it?' }).click()
  await page.locator('#share').click()
  const link = (await page.locator('.link-text').textContent())!
  expect(link).toContain('#c=moss')
  const [svg] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SVG' }).click()])
  const text = readFileSync((await svg.path())!, 'utf8')
  expect(text).toContain('<svg')
  expect(text).toContain('ice_cream_scoops')
  expect(text).not.toContain('var(--')
  const [png] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()])
  expect(readFileSync((await png.path())!).subarray(1, 4).toString()).toBe('PNG')
  await expect(page.locator('#methods')).toContainText('variables')
  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.locator('html[data-ready]')).toBeAttached()
  await expect(page.locator('[data-node].picked')).toHaveCount(1)
})

test('names that are markup stay names', async ({ page }) => {
  const { faults } = await open(page, 'hostile')
  expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined()
  expect(await page.locator('.node').count()).toBe(hostileNames.length)
  await page.locator('.node').first().click()
  await page.locator('#share').click()
  await page.locator('#how-list').click()
  expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined()
  expect(faults).toEqual([])
})

test('a large report is compressed, and a damaged one says so', async ({ page }) => {
  const html = readFileSync(`${files}/mixed300.html`, 'utf8')
  expect(html.length).toBeLessThan(1_200_000)
  await open(page, 'mixed300')
  await expect(page.locator('.node.group').first()).toBeVisible()
  writeFileSync(`${files}/damaged.html`, html.replace(/(id="data">")([\w+/]{200})/, '$1'))
  await page.goto(`file://${files}/damaged.html`)
  await expect(page.getByRole('alert')).toContainText('polydag report')
})

for (const [kind, marks] of [['cpdag', 1], ['pag', 3]] as const) {
  test(`a ${kind}: what stands at both ends is drawn and explained`, async ({ page }) => {
    await open(page, kind)
    await page.locator('#legend-key').click()
    await expect(page.locator('#legend')).toBeVisible()
    expect(await page.locator('.line .open').count()).toBe(kind === 'pag' ? 4 : 0)
    expect(await page.locator('.legend li').count()).toBeGreaterThanOrEqual(marks)
  })
}

test('no line goes through a box and no label lies on a line', async ({ page }) => {
  for (const name of ['demo', 'rich', 'compare', 'truth', 'd40', 'dense', 'pag', 'series', 'hostile']) {
    await open(page, name)
    expect(await faultsOf(page), name).toEqual([])
  }
  await open(page, 'd40')
  await pick(page, 'x3')
  expect(await faultsOf(page)).toEqual([])
})
