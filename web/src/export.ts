import type { Canvas } from './canvas'
import { svg } from './dom'
import { print } from './print'
import style from './graph.css?inline'

// picture is the drawing as a file of its own, with its style inside, always on a light ground.
function picture(canvas: Canvas): SVGElement {
  const { svg: world, box } = canvas.picture()
  const css = getComputedStyle(document.documentElement)
  const names = [...new Set([...style.matchAll(/var\((--[a-z-]+)\)/g)].map((m) => m[1]!))]
  const was = document.documentElement.dataset.theme
  document.documentElement.dataset.theme = 'light'
  const vars = new Map(names.map((n) => [n, css.getPropertyValue(n).trim()]))
  if (was) document.documentElement.dataset.theme = was
  const text = style.replace(/var\((--[a-z-]+)\)/g, (_, n: string) => vars.get(n) ?? '')
  const [x, y, w, h] = box
  return svg('svg', { xmlns: 'http://www.w3.org/2000/svg', class: 'graph', viewBox: box.map((v) => v.toFixed(0)).join(' '), width: w.toFixed(0), height: h.toFixed(0) },
    svg('style', {}, text), svg('rect', { x, y, width: w, height: h, fill: '#ffffff' }), world)
}

export function saveSVG(canvas: Canvas, name: string): void {
  save(new Blob([new XMLSerializer().serializeToString(picture(canvas))], { type: 'image/svg+xml' }), `${name}.svg`)
}

// savePNG draws the picture at twice its size.
export async function savePNG(canvas: Canvas, name: string): Promise<void> {
  const el = picture(canvas)
  const [w, h] = [Number(el.getAttribute('width')), Number(el.getAttribute('height'))]
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(el))}`
  await image.decode()
  const sheet = document.createElement('canvas')
  const scale = Math.min(2, 8000 / Math.max(w, h))
  ;[sheet.width, sheet.height] = [w * scale, h * scale]
  sheet.getContext('2d')!.drawImage(image, 0, 0, sheet.width, sheet.height)
  await new Promise<void>((done) => sheet.toBlob((b) => {
    if (b) save(b, `${name}.png`)
    done()
  }))
}

export function printPicture(canvas: Canvas): void {
  print(picture(canvas))
}

// save downloads a file.
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const a = document.createElement('a')
  a.href = url
  a.download = name
  a.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
