import { DataError } from './data'

// unpack returns the data of a page as JSON text. Those of a large page are a JSON string: gzip in base64 (package internal/page).
export async function unpack(text: string): Promise<string> {
  if (!/^\s*"[\w+/]+=*"\s*$/.test(text)) return text
  if (!('DecompressionStream' in globalThis)) {
    throw new DataError('This browser cannot open a report of this size. Use Firefox 113, Chrome 80, Safari 16.4 or a later version.')
  }
  try {
    const packed = Uint8Array.from(atob(JSON.parse(text) as string), (c) => c.charCodeAt(0))
    return await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
  } catch {
    throw new DataError('The data in this file cannot be decompressed: the file was cut short or changed. Write it again with polydag report.')
  }
}
