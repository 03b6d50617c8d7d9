import { defineConfig } from '@playwright/test'
import { browser } from './e2e/browser'

const executablePath = browser()

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/setup.ts',
  outputDir: 'test-results/run',
  // Wall times depend on the machine, so speed is a benchmark: WEBTEST_SPEED=1 make webtest.
  testIgnore: process.env.WEBTEST_SPEED ? [] : ['speed.spec.ts'],
  workers: 2, // most tests wait for the program or for the page
  timeout: 240_000, // a loaded machine is no fault of the page
  expect: { timeout: 60_000 },
  reporter: 'list',
  use: {
    offline: true,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
})
