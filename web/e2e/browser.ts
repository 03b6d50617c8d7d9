import { existsSync } from 'node:fs'

// browser is a Chromium of the system, or undefined for the one that Playwright installs. CHROMIUM names another.
export function browser(): string | undefined {
  const named = process.env.CHROMIUM
  if (named) return named
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => existsSync(p))
}
