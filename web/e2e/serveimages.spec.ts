import { expect, test } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { files, out, polydag } from './paths'
import { confounded, seenPairs } from './scenes'
import { pick, ready } from './open'
import { serve, type Served, take } from './server'

// polydag serve with a folder of images.
test.use({ offline: false })

let served: Served

test.beforeAll(async () => {
  confounded('guests')
  execFileSync(polydag, ['learn', 'guests.csv', '--require', 'bald->red', '--require', 'bald->dark', '--require', 'red->dark', '--output', 'guests.json', '--quiet'], { cwd: files })
  writeFileSync(`${files}/guests/notes.png`, 'not an image')
  writeFileSync(`${files}/guests/notes.txt`, 'not for visitors')
  try {
    symlinkSync(`${files}/demo.csv`, `${files}/guests/link.png`)
  } catch {
    // the link of an earlier run
  }
  served = await serve('--images', `${files}/guests`, '--data', `${files}/guests.csv`)
  copyFileSync(`${files}/guests.json`, `${served.folder}/guests.json`)
})

test.afterAll(() => {
  served.process.kill('SIGTERM')
})

test('the page of a result in the folder shows thumbnails that are made when they are asked for', async ({ page }) => {
  const errors: string[] = []
  const asked: string[] = []
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()))
  page.on('request', (r) => asked.push(r.url()))
  await page.goto(`${served.address}results/guests.json`)
  await expect(page.locator('html[data-ready]')).toBeAttached()
  const images = () => asked.filter((url) => url.includes('/images?')).length
  expect(images()).toBe(0)
  await pick(page, 'red')
  await expect.poll(images).toBeGreaterThan(0)
  await pick(page, 'dark', true)
  const pairs = await seenPairs(page)
  expect(pairs.length).toBe(3)
  for (const [a, b] of pairs) expect([a!.red, b!.red, a!.bald]).toEqual([1, 0, b!.bald])
  await page.screenshot({ path: `${out}/serve-images.png` })
  expect(asked.every((url) => url.startsWith(served.address) || url.startsWith('data:'))).toBe(true)
  expect(errors).toEqual([])
})

test('an uploaded table has pictures too, and a downloaded page embeds them', async ({ page }) => {
  await page.goto(served.address)
  await take(page, `${files}/guests.csv`)
  await ready(page)
  await pick(page, 'red')
  const image = page.locator('.gallery img').first()
  await image.scrollIntoViewIfNeeded() // pictures load when they come into view
  await expect.poll(() => image.evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(32)
  const html = await (await page.request.get(`${served.address}results/guests.json?alone=true&embed=true`)).text()
  writeFileSync(`${files}/downloaded.html`, html)
  expect(html).not.toContain('/images?file=')
  await page.goto(`file://${files}/downloaded.html`)
  await pick(page, 'red')
  await pick(page, 'dark', true)
  expect((await seenPairs(page)).length).toBe(3)
})

test('no other file can be read', async ({ page }) => {
  for (const file of ['../guests.csv', '/etc/passwd', 'notes.txt', 'notes.png', 'link.png', '..', '', 'faces/../../guests.csv', '0.png\0', '..\\guests.csv']) {
    const answer = await page.request.get(`${served.address}images?file=${encodeURIComponent(file)}`)
    expect([404, 422]).toContain(answer.status())
    expect(await answer.text()).not.toMatch(/bald,red|not for visitors|root:/)
  }
  const answer = await page.request.get(`${served.address}images?file=0.png`)
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'image/jpeg'])
})
