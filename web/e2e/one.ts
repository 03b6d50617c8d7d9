import { test as base, type Page } from '@playwright/test'

const viewport = { width: 1280, height: 800 }

// test gives all tests of a worker the same page, as it was at its start: a page of its own for each takes a third of a second. It is for
// pages from a disk, which keep nothing between two visits.
export const test = base.extend<object, { one: Page }>({
  one: [
    async ({ browser }, use) => {
      const context = await browser.newContext({ offline: true, viewport, colorScheme: 'light', reducedMotion: 'reduce' })
      await use(await context.newPage())
      await context.close()
    },
    { scope: 'worker' },
  ],
  page: async ({ one }, use) => {
    await one.setViewportSize(viewport)
    await one.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await use(one)
    one.removeAllListeners()
  },
})
