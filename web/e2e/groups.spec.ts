import { expect, type Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { audit, picture } from './audit'
import { test } from './one'
import { meeting, open, shown } from './open'
import { files } from './paths'

// A graph of many variables starts as groups of them, which open in place.

interface Edge { from: string; to: string }
const result = JSON.parse(readFileSync(`${files}/d300.json`, 'utf8')) as { names: string[]; edges: Edge[] }

interface Box { k: number; title: string; n: number; open: boolean; x: number; y: number }

// boxes are the groups on the canvas, with their places on the screen.
const boxes = (page: Page) =>
  page.evaluate(() => {
    const graph = document.getElementById('graph')!
    const { x, y } = graph.getBoundingClientRect()
    return graph._cyreg!.cy.nodes('.group').map((g): Box => ({ k: g.data('k') as number, title: g.data('name') as string, n: Number(/(\d+) variables?$/.exec(g.data('text') as string)![1]), open: g.hasClass('open'), x: x + g.renderedPosition().x, y: y + g.renderedPosition().y }))
  })

// lines are the lines between groups: their ends and widths.
const lines = (page: Page) =>
  page.evaluate(() => document.getElementById('graph')!._cyreg!.cy.edges().map((e) => ({ id: e.id(), bundle: e.hasClass('bundle'), width: e.data('width') as number, shown: e.visible() })).filter((e) => e.bundle && e.shown))

const variables = async (page: Page) => (await shown(page)).nodes.filter((n) => n.visible && result.names.includes(n.name)).map((n) => n.name)
const between = (a: Set<string>, b: Set<string>) => result.edges.filter((e) => (a.has(e.from) && b.has(e.to)) || (b.has(e.from) && a.has(e.to))).length

test('300 variables: boxes with their numbers, a click opens one in place, another closes it, a button opens all', async ({ page }) => {
  const { faults } = await open(page, 'd300')
  const before = await boxes(page)
  expect(before.length).toBeGreaterThan(5)
  expect(before.length).toBeLessThan(32)
  expect(before.reduce((sum, b) => sum + b.n, 0)).toBe(300)
  await expect.poll(() => variables(page)).toEqual([])
  expect(await meeting(page)).toEqual([])
  await expect(page.locator('#count')).toHaveText(new RegExp(`^${before.length} groups, 0 open; ${result.edges.length} of ${result.edges.length} edges shown$`))
  await audit(page, '#panel')
  await picture(page, 'groups')
  // One box opens where it is, with its variables; the others stay in their order.
  const box = before.find((b) => b.n > 10 && b.n < 30)!
  await page.mouse.click(box.x, box.y)
  await expect(page.locator('#count')).toContainText('1 open')
  const inside = await variables(page)
  expect(inside.length).toBe(box.n)
  expect(box.title.split(', ').every((name) => inside.includes(name))).toBe(true)
  expect(await meeting(page)).toEqual([])
  const order = (list: Box[]) => list.toSorted((a, b) => a.y - b.y || a.x - b.x).map((b) => b.k)
  const rows = (list: Box[]) => new Map(list.map((b) => [b.k, list.filter((o) => o.y < b.y - 1).length]))
  expect(rows(await boxes(page))).toEqual(rows(before))
  const drawn = (await shown(page)).edges.filter((e) => e.visible && inside.includes(e.from) && inside.includes(e.to)).length
  expect(drawn).toBe(between(new Set(inside), new Set(inside)))
  await picture(page, 'groups-open')
  // A click on its frame closes it.
  const frame = (await boxes(page)).find((b) => b.k === box.k)!
  const top = await page.evaluate((k) => document.getElementById('graph')!._cyreg!.cy.getElementById(`g${k}`).renderedBoundingBox({ includeLabels: false }).y1, box.k)
  await page.mouse.click(frame.x, (await page.locator('#graph').boundingBox())!.y + top + 6)
  await expect(page.locator('#count')).toContainText('0 open')
  expect(order(await boxes(page))).toEqual(order(before))
  await page.getByRole('button', { name: 'Open all groups' }).click()
  await expect.poll(async () => (await variables(page)).length).toBe(300)
  expect(await meeting(page)).toEqual([])
  expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(result.edges.length)
  await picture(page, 'groups-all')
  await page.getByRole('button', { name: 'Close all groups' }).click()
  await expect.poll(() => variables(page)).toEqual([])
  expect(faults).toEqual([])
})

test('lines between groups are as wide as their edges are many, and list them', async ({ page }) => {
  const { faults } = await open(page, 'd300')
  await page.getByRole('button', { name: 'Open all groups' }).click()
  const list = await page.locator('.groups > li').evaluateAll((items) => items.map((li) => [Number(li.querySelector('button')!.id.slice(6)), [...li.querySelectorAll('ul bdi')].map((b) => b.textContent!)] as const))
  const members = new Map(list.map(([k, names]) => [k, new Set(names)]))
  await page.getByRole('button', { name: 'Close all groups' }).click()
  const found = (await lines(page)).map(({ id, width }) => ({ id, width, n: between(...(id.split('~').map((end) => members.get(Number(end.slice(1)))!) as [Set<string>, Set<string>])) }))
  const all = [...members.values()]
  const total = all.reduce((sum, a, i) => sum + all.slice(i + 1).reduce((s, b) => s + between(a, b), 0), 0)
  expect(found.reduce((sum, l) => sum + l.n, 0)).toBe(total)
  expect(found.filter((a) => found.some((b) => Math.sign(a.width - b.width) !== Math.sign(a.n - b.n)))).toEqual([])
  // A click on a line lists its edges.
  const widest = found.reduce((a, b) => (b.n > a.n ? b : a))
  await page.evaluate((id) => void (document.getElementById('graph')!._cyreg!.cy.getElementById(id) as unknown as { emit(name: string): void }).emit('tap'), widest.id)
  await expect(page.locator('#panel')).toContainText(`${widest.n} edges between group`)
  await expect(page.locator('#panel h2 ~ ul > li:has(small)')).toHaveCount(widest.n)
  expect(faults).toEqual([])
})

test('groups by keyboard and in words; a search opens the group of a variable', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const { faults } = await open(page, 'd300')
  const said = page.locator('#said')
  await page.locator('#graph').focus()
  await page.keyboard.press('ArrowRight')
  await expect(said).toHaveText(/^Group .+: \d+ variables, \d+ edges to other groups, closed\. Enter opens it\.$/)
  const first = await said.textContent()
  await page.keyboard.press('ArrowDown')
  await expect(said).not.toHaveText(first!)
  await page.keyboard.press('Enter')
  await expect(said).toHaveText(/open\. Arrow down enters it, Enter closes it\.$/)
  await page.keyboard.press('ArrowDown')
  await expect(said).toHaveText(/^x\d+ chosen$/)
  await page.keyboard.press('ArrowRight')
  await expect(said).toHaveText(/^x\d+ chosen$/)
  await page.keyboard.press('Escape')
  await expect(said).toHaveText(/open\. Arrow down enters it/)
  await page.keyboard.press('Enter')
  await expect(page.locator('#count')).toContainText('0 open')
  // The list in the panel says the same.
  const item = page.locator('.groups button').first()
  await expect(item).toHaveAttribute('aria-expanded', 'false')
  await item.focus()
  await page.keyboard.press('Enter')
  await expect(item).toHaveAttribute('aria-expanded', 'true')
  await expect(item).toBeFocused()
  await page.keyboard.press('Enter')
  await page.locator('#search').fill('x17')
  await page.keyboard.press('Enter')
  await expect(page.locator('#panel h2')).toHaveText('x17')
  await expect.poll(() => variables(page)).toContain('x17')
  // Only neighbours leaves the groups, and comes back to them.
  await page.getByRole('button', { name: 'Only neighbours' }).click()
  const near = result.edges.filter((e) => e.from === 'x17' || e.to === 'x17').length
  await expect.poll(async () => (await variables(page)).length).toBe(1 + near)
  await page.getByRole('button', { name: 'Only neighbours' }).click()
  await expect(page.locator('#count')).toContainText('1 open')
  await expect.poll(async () => (await boxes(page)).filter((b) => b.open).length).toBe(1)
  // The view can be saved, and all other views are there.
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the view as SVG' }).click()])
  expect(readFileSync((await download.path())!, 'utf8')).toMatch(/>\d+ variables</)
  await page.getByRole('button', { name: 'Graph', exact: true }).click()
  await expect(page.locator('#count')).toContainText('strongest 60 of')
  await page.getByRole('button', { name: 'Groups', exact: true }).click()
  await expect(page.locator('#count')).toContainText('1 open')
  expect(faults).toEqual([])
})

test('a small graph has no groups', async ({ page }) => {
  await open(page, 'demo')
  await expect(page.locator('#how-groups')).toBeHidden()
})
