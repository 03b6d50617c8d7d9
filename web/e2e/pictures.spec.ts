import { expect, test, type Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { audit } from './audit'
import { open, pick } from './open'
import { files, out, polydag } from './paths'
import { confounded, png, seenPairs } from './scenes'

// Pictures behind variables and edges: 80 drawn images, red or blue, with a light or a dark frame.

interface Scene { name: string; red: number; dark: number }
const scenes: Scene[] = []

test.beforeAll(() => {
  mkdirSync(`${files}/scenes/part`, { recursive: true })
  for (let i = 0; i < 80; i++) {
    const red = i % 2
    const dark = i % 5 === 0 ? 1 - red : red // four of five agree
    const name = `part/${String(i).padStart(2, '0')}.png`
    writeFileSync(`${files}/scenes/${name}`, png(32, (x, y) => (Math.min(x, y, 31 - x, 31 - y) < 8 ? (dark ? [40, 40, 40] : [230, 230, 230]) : red ? [210, 30, 30] : [30, 30, 210])))
    scenes.push({ name, red, dark })
  }
  writeFileSync(`${files}/scenes.csv`, ['image,red,dark,other', ...scenes.map((s, i) => `${s.name},${s.red},${s.dark},${(i >> 2) % 2}`), ''].join('\n'))
  const run = (...args: string[]) => execFileSync(polydag, args, { cwd: files, stdio: ['ignore', 'pipe', 'pipe'] })
  run('learn', 'scenes.csv', '--require', 'red->dark', '--output', 'scenes.json', '--quiet')
  run('report', 'scenes.json', '--output', 'pictures.html', '--data', 'scenes.csv', '--images', 'scenes')
  run('report', 'scenes.json', '--output', 'linked.html', '--data', 'scenes.csv', '--images', 'scenes', '--set', 'link')
  confounded('faces')
  run('learn', 'faces.csv', '--require', 'bald->red', '--require', 'bald->dark', '--require', 'red->dark', '--output', 'faces.json', '--quiet')
  run('report', 'faces.json', '--output', 'pairs.html', '--data', 'faces.csv', '--images', 'faces')
})

test('an effect shows pairs that differ in the cause and agree on the adjustment set', async ({ page }) => {
  const { faults } = await open(page, 'pairs')
  const yes = (x: number) => (x ? 'yes' : 'no')
  const check = async (count: number) => {
    const pairs = await seenPairs(page)
    expect(pairs.length).toBe(count)
    for (const [a, b] of pairs) {
      expect([a!.red, b!.red]).toEqual([1, 0])
      expect(a!.bald).toBe(b!.bald)
      for (const s of [a!, b!]) expect(s.alt).toContain(`(red: ${yes(s.red)}, bald: ${yes(s.bald)}, dark: ${yes(s.dark)})`)
    }
    await expect(page.locator('.pairs tr').first().locator('td').nth(2)).toHaveText(`agree onbald: ${yes(pairs[0]![0]!.bald)}`)
  }
  await pick(page, 'red')
  await pick(page, 'dark', true)
  const box = page.locator('.gallery', { hasText: 'Matched pairs' })
  await expect(box.locator('h3')).toHaveText('Matched pairs for the effect of red on dark')
  await expect(box).toContainText('differ in red and agree on the adjustment set: bald.')
  await expect(box).toContainText('of at most 4 MB (--set picture-budget).')
  await check(3)
  await box.getByRole('button', { name: 'More pictures' }).click()
  await check(8)
  // All pairs are one stop of the Tab key.
  const thumbs = box.locator('.thumb')
  expect(await thumbs.evaluateAll((list) => list.filter((b) => (b as HTMLElement).tabIndex === 0).length)).toBe(1)
  await thumbs.first().focus()
  for (let k = 0; k < 3; k++) await page.keyboard.press('ArrowRight')
  await expect(thumbs.nth(3)).toBeFocused()
  await audit(page, '.gallery')
  await page.screenshot({ path: `${out}/pairs.png` })
  // The wrong way round there is no effect, and so no pair.
  await page.getByRole('button', { name: 'Swap' }).click()
  await expect(page.locator('.pairs')).toHaveCount(0)
  await page.keyboard.press('Escape')
  // The set is empty for a cause without parents.
  await pick(page, 'bald')
  await page.getByRole('button', { name: 'What if it changes?' }).click()
  await expect(box).toContainText('nothing to adjust for')
  await pick(page, 'red')
  await expect(page.locator('#pairs-of option')).toHaveText(['dark'])
  await check(3)
  expect(faults).toEqual([])
})

// colours reads the middle and a corner of each picture on screen that has loaded.
const colours = (page: Page, cell: string) =>
  page.locator(`${cell} li:not([hidden]) img`).evaluateAll((images) => Promise.all((images as HTMLImageElement[]).map(async (image) => {
    await image.decode()
    const canvas = document.createElement('canvas')
    const size = (canvas.width = canvas.height = image.naturalWidth)
    const g = canvas.getContext('2d', { willReadFrequently: true })!
    g.drawImage(image, 0, 0)
    const [r, , b] = g.getImageData(size / 2, size / 2, 1, 1).data
    return { alt: image.alt, red: Number(r! > b!), dark: Number(g.getImageData(1, 1, 1, 1).data[0]! < 128) }
  })))

test('an edge shows the pictures of each combination, and a variable its own', async ({ page }) => {
  const { faults } = await open(page, 'pictures')
  await pick(page, 'red')
  await expect(page.locator('.gallery h3')).toHaveText('Pictures of red')
  for (const [k, value] of [1, 0].entries()) {
    const seen = await colours(page, `.pictures tbody tr:nth-child(${k + 1})`)
    expect(seen.map((s) => s.red)).toEqual([value, value, value, value])
  }
  await pick(page, 'dark', true)
  const both = page.locator('.gallery', { hasText: 'Pictures of this edge' })
  await expect(both.locator('h3')).toHaveText('Pictures of this edge')
  for (const [k, red] of [1, 0].entries()) {
    for (const [l, dark] of [1, 0].entries()) {
      const cell = `.grid tbody tr:nth-child(${k + 1}) td:nth-of-type(${l + 1})`
      const seen = await colours(page, cell)
      expect(seen.length).toBe(4)
      for (const s of seen) {
        expect(s).toMatchObject({ red, dark })
        const scene = scenes.find(({ name }) => s.alt.startsWith(`${name} `))!
        expect(scene).toMatchObject({ red, dark })
        expect(s.alt).toContain(`red: ${red ? 'yes' : 'no'}, dark: ${dark ? 'yes' : 'no'}`)
      }
      const share = scenes.filter((s) => s.red === red && s.dark === dark).length / 80
      await expect(page.locator(cell)).toContainText(`${Math.round(100 * share)} % of rows`)
      await expect(page.locator(`${cell} .contradicts`)).toHaveCount(red === dark ? 0 : 1)
    }
  }
  await both.getByRole('button', { name: 'More pictures' }).click()
  expect((await colours(page, '.grid tbody tr:nth-child(1) td:nth-of-type(1)')).length).toBe(16)
  await both.getByRole('button', { name: 'Fewer pictures' }).click()
  // One stop of the Tab key for each cell; arrow keys move within, Enter enlarges.
  const first = page.locator('.grid tbody td').first().locator('button')
  expect(await first.evaluateAll((list) => list.filter((b) => (b as HTMLElement).tabIndex === 0).length)).toBe(1)
  await first.first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(first.nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('.enlarged figcaption').first()).toHaveText((await first.nth(1).locator('img').getAttribute('alt'))!)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
    await audit(page, '.gallery')
    await page.screenshot({ path: `${out}/pictures-${theme}.png` })
  }
  expect(faults).toEqual([])
})

test('linked pictures are files beside the page, loaded when they are shown', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (r) => asked.push(r.url()))
  const { faults } = await open(page, 'linked')
  expect(asked).toEqual([`file://${files}/linked.html`])
  await pick(page, 'red')
  const image = page.locator('.gallery img').first()
  await expect.poll(() => image.evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(32)
  expect(asked.slice(1).every((url) => url.startsWith(`file://${files}/scenes/part/`))).toBe(true)
  expect(asked.length).toBeLessThanOrEqual(1 + 8)
  expect(faults).toEqual([])
})
