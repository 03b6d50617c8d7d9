import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { out } from './paths'

// audit checks a page, or the part that include names, with axe. It collects violations only, which takes a fraction of the time on a
// page with many elements; narrow restricts the rules.
export async function audit(page: Page, include?: string, narrow: (axe: AxeBuilder) => AxeBuilder = (axe) => axe): Promise<void> {
  let axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] })
  axe = include ? axe.include(include) : axe.exclude('iframe')
  const { violations } = await narrow(axe).analyze()
  const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
  expect(bad.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ; ').slice(0, 400)}`)).toEqual([])
}

// picture keeps a screenshot for the eye under test-results/pictures, where WEBTEST_PICTURES is set.
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (process.env.WEBTEST_PICTURES) await page.screenshot({ path: `${out}/${name}.png`, fullPage })
}
