import type { FrameLocator, Page } from '@playwright/test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'
import { files } from './paths'

// Drawn images for the tests of pictures.

export function png(size: number, colour: (x: number, y: number) => number[]): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const b = Buffer.concat([Buffer.alloc(4), Buffer.from(type), body, Buffer.alloc(4)])
    b.writeUInt32BE(body.length, 0)
    b.writeUInt32BE(crc32(b.subarray(4, -4)), b.length - 4)
    return b
  }
  const head = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 2, 0, 0, 0])
  const pixels = Array.from({ length: size }, (_, y) => [0, ...Array.from({ length: size }, (_, x) => colour(x, y)).flat()]).flat()
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.from(pixels))), chunk('IEND', Buffer.alloc(0))])
}

// confounded draws 120 images and writes their table, with a third attribute, which is a cause of the other two: a bar at the top, black or white.
export function confounded(name: string): void {
  mkdirSync(`${files}/${name}`, { recursive: true })
  const lines = ['image,bald,red,dark']
  for (let i = 0; i < 120; i++) {
    const bald = i % 2
    const red = i % 3 === 0 ? 1 - bald : bald
    const dark = i % 7 < 4 ? red : bald
    writeFileSync(`${files}/${name}/${i}.png`, png(32, (_, y) => (y < 6 ? (bald ? [0, 0, 0] : [255, 255, 255]) : y > 25 ? (dark ? [40, 40, 40] : [230, 230, 230]) : red ? [210, 30, 30] : [30, 30, 210])))
    lines.push(`${i}.png,${bald},${red},${dark}`)
  }
  writeFileSync(`${files}/${name}.csv`, [...lines, ''].join('\n'))
}

// seenPairs reads the attributes of the pictures of each pair on screen from their pixels.
export const seenPairs = (page: Page | FrameLocator) =>
  page.locator('.pairs tr:not([hidden])').evaluateAll((rows) => Promise.all(rows.map((row) => Promise.all([...row.querySelectorAll('img')].map(async (image) => {
    image.loading = 'eager'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 32
    const g = canvas.getContext('2d', { willReadFrequently: true })!
    g.drawImage(image, 0, 0)
    const at = (y: number) => g.getImageData(16, y, 1, 1).data
    return { alt: image.alt, bald: Number(at(2)[0]! < 128), red: Number(at(16)[0]! > at(16)[2]!), dark: Number(at(29)[0]! < 128) }
  })))))
