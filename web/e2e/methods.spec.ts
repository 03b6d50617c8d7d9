import { expect, test } from '@playwright/test'
import { audit, picture } from './audit'
import { open, shown } from './open'

test.setTimeout(120_000)

test('methods are sorted by a figure, and the ones without a graph stand last', async ({ page }) => {
  const { faults } = await open(page, 'methods')
  await expect(page.getByRole('tab', { name: 'Methods' })).toHaveAttribute('aria-selected', 'true')
  const table = page.getByRole('region', { name: /^Methods/ }).getByRole('row')
  await expect(table).toHaveCount(6)
  const scores = async () => {
    const texts = await page.getByRole('region', { name: /^Methods/ }).locator('tbody tr td:nth-child(4)').allTextContents()
    return texts.map((t) => (t === '–' ? undefined : Number(t.replace('−', '-'))))
  }
  const known = (list: (number | undefined)[]) => list.filter((v) => v !== undefined)
  const given = await scores()
  expect(known(given).length).toBe(3) // a graph with hidden causes has no score
  await page.getByRole('button', { name: 'Score', exact: true }).click()
  const rising = known(given).sort((x, y) => x - y)
  expect(await scores()).toEqual([...rising, undefined, undefined])
  await page.getByRole('button', { name: 'Score', exact: true }).click()
  expect(await scores()).toEqual([...rising.toReversed(), undefined, undefined])
  await expect(page.getByRole('region', { name: /^Methods/ }).locator('tbody tr').last()).toContainText('lingam')
  await expect(page.getByText(/lingam: there is no room for it/)).toBeVisible()
  await picture(page, 'methods')
  expect(faults).toEqual([])
})

test('one method, or two: what both have, what one has, what is reversed, on one layout', async ({ page }) => {
  const { faults } = await open(page, 'methods')
  // The window may stretch the layout, but what is above and left of what stays.
  const places = async () => {
    const { nodes } = await shown(page)
    return [nodes.toSorted((a, b) => a.y - b.y || a.x - b.x), nodes.toSorted((a, b) => a.x - b.x || a.y - b.y)].map((list) => list.map((n) => n.name))
  }
  const before = await places()
  const alone = (await shown(page)).edges.length
  await page.getByLabel('compared with').selectOption({ label: 'order' })
  const both = await shown(page)
  expect(both.edges.length).toBeGreaterThanOrEqual(alone)
  await expect(page.getByRole('list', { name: 'Legend' })).toContainText('only in A')
  expect(await places()).toEqual(before)
  await picture(page, 'methods-two')
  // A cell of the agreement is the same question.
  await page.getByLabel('compared with').selectOption({ label: 'nothing' })
  await page.getByRole('button', { name: /^order and polydag-geo: \d+ % adjacent pairs in common$/ }).click()
  await expect(page.getByRole('tab', { name: 'Compare' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('#panel')).toContainText('A: order')
  await expect(page.locator('#panel')).toContainText('B: polydag-geo')
  await expect(page.getByLabel('Show', { exact: true })).toHaveValue('1')
  // Against the truth there are metrics of the one method.
  await page.getByLabel('compared with').selectOption({ label: 'the truth' })
  await expect(page.getByRole('list', { name: 'Legend' })).toContainText('missing: in the truth only')
  await expect(page.locator('#panel')).toContainText('Skeleton F1')
  expect(faults).toEqual([])
})

test('readable by axe in both themes, nothing wider than the window', async ({ browser }) => {
  for (const theme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ offline: true, colorScheme: theme, viewport: { width: 360, height: 800 }, bypassCSP: true, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await open(page, 'methods')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0)
    await test.step(theme, () => audit(page))
    await context.close()
  }
})
