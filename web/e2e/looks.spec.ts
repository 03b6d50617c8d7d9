import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { clickNode, open } from './open'
import { out } from './paths'

const widths = { phone: 360, tablet: 820, desk: 1440 }

// axe runs where its rules can give different answers: contrast depends on the theme, the structure on the width. It collects violations only, which takes a
// fraction of the time on a page with many elements.
const contrast = ['color-contrast']
const audits: Record<string, (axe: AxeBuilder) => AxeBuilder> = {
  'light, desk': (axe) => axe,
  'light, phone': (axe) => axe.disableRules(contrast),
  'dark, desk': (axe) => axe.withRules(contrast),
}

// POLYDAG_PICTURES=1 keeps screenshots for the eye, under test-results/pictures.
const pictures = process.env.POLYDAG_PICTURES

for (const theme of ['light', 'dark'] as const) {
  for (const [device, width] of Object.entries(widths)) {
    test(`${theme}, ${device}: readable by axe, nothing wider than the window`, async ({ browser }) => {
      const context = await browser.newContext({ offline: true, colorScheme: theme, viewport: { width, height: 800 }, bypassCSP: true, reducedMotion: 'reduce' })
      const page = await context.newPage()
      for (const name of ['rich', 'compare', 'truth', 'd40', 'pag', 'hostile']) {
        await open(page, name)
        if (pictures) await page.screenshot({ path: `${out}/${name}-${device}-${theme}.png`, fullPage: width < 860 })
        const tabs = name === 'rich' ? ['Explore', 'Table', 'Certificate', 'Data', 'Run', 'Guide'] : name === 'truth' ? ['Compare'] : ['Explore']
        for (const tab of tabs) {
          await page.getByRole('tab', { name: tab }).click()
          if (tab === 'Explore' && name === 'rich') {
            await clickNode(page, 'Heavy_Makeup')
            await clickNode(page, 'Wearing_Lipstick')
          }
          if (pictures && (name === 'rich' || name === 'truth')) await page.screenshot({ path: `${out}/${name}-${tab.toLowerCase().replaceAll(' ', '-')}-${device}-${theme}.png`, fullPage: width < 860 })
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
          expect(wide, `${name}, ${tab}`).toBeLessThanOrEqual(0)
          const audit = audits[`${theme}, ${device}`]
          if (!audit) continue
          const { violations } = await audit(new AxeBuilder({ page }).options({ resultTypes: ['violations'] })).analyze()
          const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
          expect(bad.map((v) => `${name}, ${tab}: ${v.id}: ${v.nodes.map((n) => n.html).join(' ; ').slice(0, 400)}`)).toEqual([])
        }
      }
      await context.close()
    })
  }
}

test('the switch turns the theme round', async ({ page }) => {
  await open(page, 'demo')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await ground()).toBe('rgb(255, 255, 255)')
  await page.getByRole('button', { name: 'Switch between light and dark' }).click()
  expect(await ground()).toBe('rgb(18, 23, 29)')
})
