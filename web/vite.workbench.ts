import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'

// style writes the style sheet as a file: the policies of both pages forbid styles that a script adds.
const style: Plugin = {
  name: 'style',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'app.css', source: readFileSync(new URL('workbench/style.css', import.meta.url), 'utf8') })
  },
}

// The workbench: one script and one style sheet, which polydag serve embeds and packaging/generate/try.go puts into its page.
export default defineConfig({
  plugins: [style],
  build: {
    target: 'es2022',
    outDir: '../command/internal/serve/assets',
    emptyOutDir: false, // index.html is written by hand
    modulePreload: false,
    rollupOptions: {
      input: 'workbench/main.ts',
      output: { format: 'iife', entryFileNames: 'app.js' },
    },
  },
})
