import { defineConfig } from '@playwright/test'
import { browser } from './e2e/browser'

const executablePath = browser()

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/setup.ts',
  outputDir: 'test-results/run',
  workers: 1,
  timeout: 60_000,
  reporter: 'list',
  use: {
    offline: true,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    },
  },
})
