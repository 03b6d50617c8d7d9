import { chromium } from '@playwright/test'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] })
const [,, script] = process.argv
const { default: run } = await import(script)
const page = async (o = {}) => {
  const c = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', acceptDownloads: true, ...o })
  const p = await c.newPage()
  p.on('console', (m) => ['error', 'warning'].includes(m.type()) && console.log('console', m.type(), m.text()))
  p.on('pageerror', (e) => console.log('pageerror', e.stack))
  p.shot = (n) => p.screenshot({ path: `/tmp/desk/shots/${n}.png` })
  return p
}
try { await run(page) } catch (e) { console.log(e) }
await browser.close()
