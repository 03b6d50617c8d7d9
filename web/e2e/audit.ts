import { expect, type Page } from '@playwright/test'
import axe from 'axe-core'
import { out } from './paths'

// audit checks a page without its frames, or the part that include names, with axe. It runs in the page itself and collects violations
// only: the package for Playwright opens another page for each check. options choose the rules.
export async function audit(page: Page, include?: string, options: axe.RunOptions = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const bad = await page.evaluate(
    async ([part, rules]) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(part ? { include: part } : { exclude: 'iframe' }, { resultTypes: ['violations'], iframes: false, ...rules })
      return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ; ').slice(0, 400)}`)
    },
    [include, options] as const,
  )
  expect(bad).toEqual([])
}

// picture keeps a screenshot for the eye under test-results/pictures, where WEBTEST_PICTURES is set.
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (process.env.WEBTEST_PICTURES) await page.screenshot({ path: `${out}/${name}.png`, fullPage })
}
