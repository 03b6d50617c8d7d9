import type { Page } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { polydag } from './paths'

export interface Served {
  process: ChildProcess
  address: string
  folder: string
}

// serve starts the real command over an empty folder, on a free port of this machine.
export async function serve(...flags: string[]): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'served-'))
  const process = spawn(polydag, ['serve', folder, '--listen', '127.0.0.1:0', '--no-token', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const address = await new Promise<string>((found, failed) => {
    let text = ''
    process.stdout.on('data', (b: Buffer) => {
      text += b.toString()
      const m = /(http:\S+)/.exec(text)
      if (m) found(m[1]!)
    })
    process.on('exit', () => failed(new Error(`serve ended: ${text}`)))
  })
  return { process, address, folder }
}

// take chooses a table.
export const take = (page: Page, file: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) => page.locator('#file').setInputFiles(file)
