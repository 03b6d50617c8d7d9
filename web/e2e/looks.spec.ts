import { expect, test } from '@playwright/test'
import type { RunOptions } from 'axe-core'
import { audit, picture } from './audit'
import { faultsOf, open, overlapping, pick } from './open'

// What is looked at, in which theme and size. Contrast depends on the theme, the structure on the width.
const looks: { theme: 'light' | 'dark'; device: string; width: number; height: number; pages: string[]; rules: RunOptions }[] = [
  { theme: 'light', device: 'desk', width: 1440, height: 900, pages: ['rich', 'compare', 'truth', 'd40', 'pag', 'hostile', 'd300'], rules: {} },
  { theme: 'light', device: 'tablet', width: 1024, height: 768, pages: ['rich', 'compare', 'd40', 'hostile'], rules: {} },
  { theme: 'light', device: 'phone', width: 390, height: 844, pages: ['rich', 'compare', 'd40', 'hostile'], rules: {} },
  { theme: 'dark', device: 'desk', width: 1440, height: 900, pages: ['rich', 'compare', 'd40'], rules: { runOnly: ['color-contrast'] } },
]

for (const { theme, device, width, height, pages, rules } of looks) {
  test(`${theme}, ${device}: axe finds nothing, nothing overlaps, nothing scrolls inside what scrolls`, async ({ browser }) => {
    const context = await browser.newContext({ offline: true, colorScheme: theme, viewport: { width, height }, bypassCSP: true, reducedMotion: 'reduce' })
    const page = await context.newPage()
    const check = async (what: string, rule = rules) => {
      await picture(page, `${what.replaceAll(/\W+/g, '-')}-${device}-${theme}`)
      expect(await overlapping(page), what).toEqual([])
      expect(await faultsOf(page), what).toEqual([])
      await test.step(what, () => audit(page, undefined, rule))
    }
    for (const name of pages) {
      await open(page, name)
      await check(name)
      if (name !== 'rich') continue
      await pick(page, 'guests_today')
      await check(`${name}, a column`)
      await page.getByRole('button', { name: 'What drives it?' }).click()
      await check(`${name}, drivers`)
      await page.locator('#back').click()
      await page.getByRole('button', { name: 'What if it changes?' }).click()
      await check(`${name}, what if`)
      for (const tab of ['Details of the run', 'How to read this']) {
        await page.getByRole('button', { name: 'More', exact: true }).click()
        await page.getByRole('menuitem', { name: tab }).click()
        await check(`${name}, ${tab}`)
      }
      if (width < 700) await page.getByRole('button', { name: 'Answer' }).click()
      await page.locator('#share').click()
      await check(`${name}, share`)
      if (width < 700) await page.keyboard.press('Escape') // the sheet covers the tools
      await page.locator('#how-list').click()
      await check(`${name}, list`)
    }
    await context.close()
  })
}

test('the check by axe finds a fault', async ({ page }) => {
  await open(page, 'demo')
  await page.locator('#panel').evaluate((panel) => panel.append(new Image()))
  await expect(audit(page, '#panel')).rejects.toThrow(/image-alt/)
})

test('the checks of boxes find a fault', async ({ page }) => {
  await open(page, 'demo')
  await page.evaluate(() => document.getElementById('tools')!.style.setProperty('bottom', '-200px'))
  expect(await overlapping(page)).toEqual([])
  await page.evaluate(() => {
    const label = document.createElementNS('http://www.w3.org/2000/svg', 'text')
    label.setAttribute('class', 'tag')
    label.textContent = 'label'
    const line = document.querySelector<SVGPathElement>('.line .stroke')!
    const p = line.getPointAtLength(line.getTotalLength() / 2)
    label.setAttribute('x', String(p.x))
    label.setAttribute('y', String(p.y))
    document.querySelector('.labels')!.append(label)
  })
  expect((await faultsOf(page)).length).toBeGreaterThan(0)
})

test('the switch turns the theme round', async ({ page }) => {
  await open(page, 'demo')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await ground()).toBe('rgb(246, 247, 249)')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Dark colours' }).click()
  expect(await ground()).toBe('rgb(16, 21, 27)')
})
