import { expect, test } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { open } from './open'
import { files, polydag } from './paths'
import { serve, take } from './server'

// Wall times depend on what else the machine does, so this is a benchmark: WEBTEST_SPEED=1 make webtest.
test.use({ offline: false })

test('30 columns of 50,000 rows: the first graph within 5 s of the drop', async ({ page }) => {
  execFileSync(polydag, ['simulate', '--nodes', '30', '--set', 'degree=4', '--rows', '50000', '--seed', '7', '--output', `${files}/wide.csv`, '--truth', `${files}/wide-truth.csv`])
  const served = await serve()
  await page.goto(served.address)
  await expect(page.locator('html[data-ready]')).toBeAttached()
  const begun = Date.now()
  await take(page, `${files}/wide.csv`)
  await expect(page.locator('html[data-graph]')).toBeAttached({ timeout: 120_000 })
  const seconds = (Date.now() - begun) / 1000
  served.process.kill('SIGTERM')
  console.log(`first graph after ${seconds.toFixed(1)} s`)
  expect(seconds).toBeLessThan(5)
})

test('300 columns, 600 edges: 30 frames a second while panning', async ({ page }) => {
  await open(page, 'd300')
  await page.locator('#edges').click()
  await page.getByRole('menuitem', { name: 'Show every column' }).click()
  await page.locator('#edges').click()
  await page.getByRole('menuitem', { name: 'Draw every edge' }).click()
  await page.mouse.move(700, 400)
  await page.mouse.down()
  const rate = page.evaluate(() => new Promise<number>((done) => {
    const begin = performance.now()
    let n = 0
    const step = () => (++n, performance.now() - begin < 2000 ? requestAnimationFrame(step) : done((1000 * n) / (performance.now() - begin)))
    requestAnimationFrame(step)
  }))
  for (let k = 0; k < 60; k++) await page.mouse.move(700 + 3 * k, 400 + 2 * k)
  await page.mouse.up()
  console.log(`${(await rate).toFixed(0)} frames a second`)
  expect(await rate).toBeGreaterThan(30)
})
