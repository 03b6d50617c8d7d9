import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { unpack } from '../src/unpack'

test('packed data come back, and others stay as they are', async () => {
  const text = JSON.stringify({ names: ['ä', '</script>'] })
  expect(await unpack(JSON.stringify(gzipSync(text).toString('base64')))).toBe(text)
  for (const same of [text, '', '"polydag:data"', ' {}\n']) expect(await unpack(same)).toBe(same)
})

test('damaged data say so', async () => {
  const packed = gzipSync('{"names":[]}').toString('base64')
  for (const bad of [packed.slice(0, -8), packed.replace(/.{6}$/, 'AAAAAA'), 'AAAA']) await expect(unpack(JSON.stringify(bad)), bad).rejects.toThrow('cannot be decompressed')
})
