import { expect, type Page } from '@playwright/test'
import { files } from './paths'

// The part of the drawing library that tests look at.
interface Cy {
  nodes(selector?: string): { map<T>(f: (n: Ele) => T): T[] }
  edges(): { map<T>(f: (n: Ele) => T): T[] }
  getElementById(id: string): Ele
  zoom(): number
  width(): number
  height(): number
  panBy(p: { x: number; y: number }): void
}
interface Ele {
  id(): string
  data(key: string): unknown
  visible(): boolean
  hasClass(c: string): boolean
  renderedPosition(): { x: number; y: number }
  renderedMidpoint(): { x: number; y: number }
  renderedBoundingBox(o: object): { x1: number; y1: number; x2: number; y2: number }
  boundingBox(o: object): { x1: number; y1: number; x2: number; y2: number }
  style(name: string): string
}
declare global {
  interface HTMLElement {
    _cyreg?: { cy: Cy }
  }
}

// open loads a page from disk and keeps a list of everything that must not happen.
export async function open(page: Page, name: string): Promise<{ faults: string[] }> {
  const faults: string[] = []
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') faults.push(`console ${m.type()}: ${m.text()}`)
  })
  page.on('pageerror', (e) => faults.push(`error: ${e.message}`))
  page.on('request', (r) => {
    if (!r.url().startsWith('file://') && !r.url().startsWith('data:') && !r.url().startsWith('blob:')) faults.push(`request: ${r.url()}`)
  })
  await page.goto(`file://${files}/${name}.html`)
  await expect(page.locator('html[data-ready]')).toBeAttached()
  return { faults }
}

// openGraph opens a page and shows all of its variables where it starts with groups of them.
export async function openGraph(page: Page, name: string): Promise<{ faults: string[] }> {
  const found = await open(page, name)
  await page.locator('#how-graph').click()
  return found
}

export interface Shown {
  nodes: { name: string; visible: boolean; picked: boolean; sensitive: boolean; faded: boolean; x: number; y: number }[]
  edges: { from: string; to: string; visible: boolean; lit: boolean; faded: boolean; label: string; dashed: boolean; colour: string; opacity: number; head: string }[]
  zoom: number
}

// shown reads what is drawn on the canvas.
export function shown(page: Page): Promise<Shown> {
  return page.evaluate(() => {
    const cy = document.getElementById('graph')!._cyreg!.cy
    const name = (id: unknown) => cy.getElementById(id as string).data('name') as string
    return {
      nodes: cy.nodes().map((n) => ({ name: n.data('name') as string, visible: n.visible(), picked: n.hasClass('picked'), sensitive: n.hasClass('sensitive'), faded: n.hasClass('faded'), ...n.renderedPosition() })),
      edges: cy.edges().map((e) => ({ from: name(e.data('source')), to: name(e.data('target')), visible: e.visible(), lit: e.hasClass('lit'), faded: e.hasClass('faded'), label: String(e.data('label') ?? ''), dashed: e.style('line-style') === 'dashed', colour: e.style('line-color'), opacity: Number(e.style('opacity')), head: e.style('target-arrow-shape') })),
      zoom: cy.zoom(),
    }
  })
}

// meeting lists the names whose boxes overlap on the screen.
export const meeting = (page: Page) =>
  page.evaluate(() => {
    const cy = document.getElementById('graph')!._cyreg!.cy
    const boxes = cy.nodes().map((n) => ({ name: n.data('text') as string, seen: n.visible(), ...n.renderedBoundingBox({ includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false }) })).filter((b) => b.seen && b.name !== '')
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2).map((b) => `${a.name} ${b.name}`))
  })

// overlapping lists the boxes, and the words on arrows that room is kept for, that overlap in the drawing.
export const overlapping = (page: Page) =>
  page.evaluate(() => {
    const cy = document.getElementById('graph')!._cyreg!.cy
    const opt = { includeLabels: false, includeEdges: false, includeOverlays: false, includeUnderlays: false }
    const boxes = cy.nodes().map((n) => ({ what: n.data('name') as string, ...n.boundingBox(opt) }))
    for (const e of cy.edges().map((e) => e)) {
      if (e.data('mx') === undefined || !e.data('label')) continue
      boxes.push({ ...e.boundingBox({ includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false, includeUnderlays: false }), what: `${e.data('label')}` })
    }
    const slack = 1.5
    return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.x1 + slack < b.x2 && b.x1 + slack < a.x2 && a.y1 + slack < b.y2 && b.y1 + slack < a.y2).map((b) => `${a.what} and ${b.what}`))
  })

// clickNode clicks where the variable is drawn.
export async function clickNode(page: Page, name: string): Promise<void> {
  const node = (await shown(page)).nodes.find((n) => n.name === name)
  if (!node) throw new Error(`no node ${name}`)
  const box = (await page.locator('#graph').boundingBox())!
  await page.mouse.click(box.x + node.x, box.y + node.y)
  await page.waitForTimeout(60) // the library waits for a double tap elsewhere; a tap is sent at once
}
