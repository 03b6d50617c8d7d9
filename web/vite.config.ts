import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'
import { viteSingleFile } from 'vite-plugin-singlefile'

// Where the Go package that embeds the page looks for it.
const target = new URL('../internal/page/page.html', import.meta.url)

// seal names the inline scripts and styles in the Content-Security-Policy by their hashes, so that nothing else can run, and
// writes the page where Go embeds it. The data block is no script and needs no hash.
function seal(): Plugin {
  return {
    name: 'seal',
    writeBundle({ dir }) {
      let html = readFileSync(`${dir}/index.html`, 'utf8')
      const hashes = (tag: string) =>
        [...html.matchAll(new RegExp(`<${tag}(?![^>]*application/json)[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
          .map((m) => `'sha256-${createHash('sha256').update(m[1]!).digest('base64')}'`)
          .join(' ')
      html = html.replace('SCRIPT-HASHES', () => hashes('script')).replace('STYLE-HASHES', () => hashes('style'))
      writeFileSync(target, html)
    },
  }
}

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), seal()],
  build: { target: 'es2022', modulePreload: { polyfill: false } },
  test: { include: ['test/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0])
