import { existsSync } from 'node:fs'

// browser is a Chromium of the system, or undefined for the one that Playwright installs. CHROMIUM names another. The one without
// windows comes first: it needs half the processor time.
export function browser(): string | undefined {
  const named = process.env.CHROMIUM
  if (named) return named
  return ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => existsSync(p))
}
