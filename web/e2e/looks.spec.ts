import { expect, test } from '@playwright/test'
import type { RunOptions } from 'axe-core'
import { audit, picture } from './audit'
import { clickNode, open } from './open'

// What is looked at, in which theme and width, and by which rules of axe: contrast depends on the theme, the structure on the width.
const contrast = 'color-contrast'
const all = ['rich', 'compare', 'truth', 'd40', 'pag', 'hostile']
const looks: { theme: 'light' | 'dark'; device: string; width: number; pages: string[]; rules?: RunOptions; audited: string[] }[] = [
  { theme: 'light', device: 'desk', width: 1440, pages: all, rules: {}, audited: all },
  { theme: 'light', device: 'phone', width: 360, pages: all, rules: { rules: { [contrast]: { enabled: false } } }, audited: ['rich', 'compare'] },
  { theme: 'light', device: 'tablet', width: 820, pages: all, audited: [] },
  { theme: 'dark', device: 'desk', width: 1440, pages: ['rich', 'compare', 'truth'], rules: { runOnly: [contrast] }, audited: all },
]

for (const { theme, device, width, pages, rules, audited } of looks) {
  test(`${theme}, ${device}: readable by axe, nothing wider than the window`, async ({ browser }) => {
    const context = await browser.newContext({ offline: true, colorScheme: theme, viewport: { width, height: 800 }, bypassCSP: true, reducedMotion: 'reduce' })
    const page = await context.newPage()
    for (const name of pages) {
      await open(page, name)
      await picture(page, `${name}-${device}-${theme}`, width < 860)
      const tabs = name === 'rich' ? ['Explore', 'What if', 'Table', 'Certificate', 'Data', 'Run', 'Guide'] : name === 'truth' ? ['Compare'] : ['Explore']
      for (const tab of tabs) {
        await page.getByRole('tab', { name: tab }).click()
        if (tab === 'Explore' && name === 'rich') {
          await clickNode(page, 'guests_today')
          await clickNode(page, 'ice_cream_scoops')
        }
        if (name === 'rich' || name === 'truth') await picture(page, `${name}-${tab.toLowerCase().replaceAll(' ', '-')}-${device}-${theme}`, width < 860)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        expect(wide, `${name}, ${tab}`).toBeLessThanOrEqual(0)
        // Tabs differ in the panel only.
        if (rules && audited.includes(name)) await test.step(`${name}, ${tab}`, () => audit(page, tab === tabs[0] ? undefined : '#side', rules))
      }
    }
    await context.close()
  })
}

test('the check by axe finds a fault', async ({ page }) => {
  await open(page, 'demo')
  await page.locator('#panel').evaluate((panel) => panel.append(new Image()))
  await expect(audit(page, '#panel')).rejects.toThrow(/image-alt/)
})

test('the switch turns the theme round', async ({ page }) => {
  await open(page, 'demo')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await ground()).toBe('rgb(255, 255, 255)')
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  expect(await ground()).toBe('rgb(18, 23, 29)')
})
