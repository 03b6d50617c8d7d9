import { h } from './dom'

// print hands a picture to the browser, whose print dialog saves it as PDF: with text as text in the fonts of the reader, and a page of
// the size of the picture.
export function print(picture: SVGElement): void {
  const size = (name: string) => Math.ceil(Number(picture.getAttribute(name)) || 800)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@page { size: ${size('width')}px ${size('height') + 1}px; margin: 0 }`)
  const box = h('div', { id: 'print' }, picture)
  document.adoptedStyleSheets.push(sheet)
  document.body.append(box)
  addEventListener('afterprint', () => {
    box.remove()
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== sheet)
  }, { once: true })
  window.print()
}
