import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { audit } from './audit'
import { hostileNames } from './names'
import { test } from './one'
import { clickNode, open, openGraph, overlapping, shown } from './open'
import { files, polydag } from './paths'

test('opens from disk with the network off: no request, no error, and none possible', async ({ page }) => {
  const { faults } = await open(page, 'demo')
  expect((await shown(page)).edges.length).toBe(9)
  expect(faults).toEqual([])
  const blocked = await page.evaluate(async () => {
    const seen: string[] = []
    document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective))
    await fetch('https://example.com/').catch(() => {})
    const s = document.createElement('script')
    try {
      s.textContent = 'window.hit = 1'
    } catch {
      seen.push('trusted types')
    }
    document.body.append(s)
    const i = new Image()
    i.src = 'https://example.com/x.png'
    await new Promise((r) => setTimeout(r, 100))
    return { seen, hit: (window as { hit?: number }).hit }
  })
  expect(blocked.hit).toBeUndefined()
  expect(blocked.seen).toContain('connect-src')
  expect(blocked.seen).toContain('img-src')
})

test('the slider hides edges of a small gain, counts them, and says that the graph stays', async ({ page }) => {
  await open(page, 'demo')
  await expect(page.locator('#count')).toHaveText('9 of 9 edges shown')
  await page.locator('#least').fill('0.6')
  const strong = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8')).edges.filter((e: { gain: number }) => Math.sqrt(1 - 2 ** (-2 * e.gain)) >= 0.6).length
  expect(strong).toBeGreaterThan(0)
  expect(strong).toBeLessThan(9)
  await expect(page.locator('#count')).toHaveText(`${strong} of 9 edges shown, ${9 - strong} hidden`)
  await expect(page.locator('.bar')).toContainText('the graph is not fitted again')
  expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(strong)
  await page.getByRole('tab', { name: 'Table' }).click()
  await expect(page.locator('table').first().getByText('hidden', { exact: true })).toHaveCount(9 - strong)
  await page.locator('#least').focus()
  await page.keyboard.press('Home')
  await expect(page.locator('#count')).toHaveText('9 of 9 edges shown')
})

test('search by keyboard finds a variable and zooms to its neighbours', async ({ page }) => {
  await openGraph(page, 'd300')
  const before = await shown(page)
  await page.keyboard.press('/')
  await page.keyboard.type('x17')
  await expect(page.getByRole('option').first()).toHaveText('x17')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page.locator('#panel h2')).toHaveText('x17')
  const after = await shown(page)
  expect(after.zoom).toBeGreaterThan(2 * before.zoom)
  expect(after.nodes.filter((n) => n.picked).map((n) => n.name)).toEqual(['x17'])
  await page.getByRole('button', { name: 'Only neighbours' }).click()
  const alone = await shown(page)
  const near = (JSON.parse(readFileSync(`${files}/d300.json`, 'utf8')).edges as { from: string; to: string }[]).filter((e) => e.from === 'x17' || e.to === 'x17')
  expect(near.length).toBeGreaterThan(0)
  expect(alone.nodes.filter((n) => n.visible).length).toBe(1 + near.length)
  expect(alone.zoom).toBeGreaterThan(0.7)
  await page.keyboard.press('Escape')
  expect((await shown(page)).nodes.filter((n) => n.visible).length).toBe(before.nodes.filter((n) => n.visible).length)
  await page.locator('#search').fill('no such name')
  await expect(page.locator('.search [role=status]')).toHaveText('Nothing found')
})

test('one click tells of a variable, a second of the paths between two', async ({ page }) => {
  await open(page, 'rich')
  await clickNode(page, 'guests_today')
  const panel = page.locator('#panel')
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText('guests_today')
  await expect(panel).toContainText('guests_today has the parents mist and light and is a parent of ice_cream_scoops.')
  await expect(panel).toContainText('Residual variance')
  await expect(panel).toContainText('0.85 (given its parents)')
  await expect(panel.getByRole('heading', { name: 'Parents (2)' })).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'Children (1)' })).toBeVisible()
  await clickNode(page, 'ice_cream_scoops')
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText('guests_today and ice_cream_scoops')
  await expect(panel.getByRole('heading', { name: 'Directed paths: 1' })).toBeVisible()
  await expect(panel.getByRole('heading', { name: /^Open back-door paths: 1/ })).toBeVisible()
  await expect(panel.getByRole('heading', { name: /^Blocked back-door paths: 1/ })).toBeVisible()
  await expect(panel.locator('ol.paths').nth(1)).toContainText(/guests_today [←—?] mist [→—?] ice_cream_scoops/)
  await expect(panel.locator('ol.paths').nth(1)).toContainText('through sensitive mist')
  await expect(panel.locator('ol.paths').nth(2)).toContainText('[moss]')
  const facts = panel.locator('dl.facts').last()
  await expect(facts).toContainText('Confoundersmist (sensitive)')
  await expect(facts).toContainText('Mediatorsnone')
  // The same total as the command gives.
  const said = JSON.parse(execFileSync(polydag, ['explain', `${files}/rich.json`, '--from', 'guests_today', '--to', 'ice_cream_scoops', '--json'], { encoding: 'utf8' }))
  await expect(panel).toContainText(`Total effect${Number(said.total_effect.toPrecision(4))}`)
  // One path alone stands out when it is chosen.
  await panel.locator('ol.paths button').nth(1).click()
  const chosen = (await shown(page)).edges.filter((e) => !e.faded).map((e) => `${e.from} ${e.to}`)
  expect(chosen.sort()).toEqual(['mist guests_today', 'mist ice_cream_scoops'])
  await clickNode(page, 'light')
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText('light')
  await page.keyboard.press('Escape')
  await expect(panel.getByRole('heading', { level: 2 })).toHaveText('The graph')
})

test('two variables: the interval, the parts and the distribution under do are those of polydag effect', async ({ page }) => {
  await open(page, 'demo')
  await page.locator('#pick0').selectOption({ label: 'mist' })
  await page.locator('#pick1').selectOption({ label: 'ice_cream_scoops' })
  const panel = page.locator('#panel')
  const result = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8'))
  const male = result.nodes.find((n: { name: string }) => n.name === 'mist')
  const said = JSON.parse(execFileSync(polydag, ['effect', `${files}/demo.json`, '--of', 'mist', '--on', 'ice_cream_scoops', '--do', String(male.mean + male.std), '--json'], { encoding: 'utf8' }))
  const four = (x: number) => String(Number(x.toPrecision(4))).replace('-', '−')
  const { total, through } = said.effects[0]
  await expect(panel).toContainText(`90 % interval${four(total.low)} to ${four(total.high)}`)
  await expect(panel).toContainText(`Through ${through[0].name}${four(through[0].value)}`)
  await expect(panel.locator('table.shares tbody tr').last()).toContainText(four(said.distributions[0].mean.value))
})

test('marking a sensitive variable lights paths and shows the caution beside the graph', async ({ page }) => {
  await open(page, 'demo')
  await expect(page.locator('.caution')).toContainText('not confirmed causes')
  await expect(page.locator('.caution.marked')).toHaveCount(0)
  await clickNode(page, 'guests_today')
  await page.getByLabel('Sensitive: highlight the paths through it').check()
  await expect(page.locator('.caution.marked')).toContainText('guests_today')
  await expect(page.locator('.caution.marked')).toContainText('decisions about people')
  const s = await shown(page)
  expect(s.nodes.filter((n) => n.sensitive).map((n) => n.name)).toEqual(['guests_today'])
  expect(s.edges.filter((e) => e.lit).map((e) => `${e.from} ${e.to}`).sort()).toEqual(['guests_today ice_cream_scoops', 'mist guests_today', 'light guests_today'])
  await page.locator('#pick0').selectOption({ label: 'mist' })
  await page.locator('#pick1').selectOption({ label: 'ice_cream_scoops' })
  await expect(page.locator('#panel')).toContainText('through sensitive guests_today')
  await expect(page.locator('#panel')).toContainText('Through sensitive')
  expect((await shown(page)).edges.filter((e) => e.lit).map((e) => `${e.from} ${e.to}`).sort()).toEqual(['guests_today ice_cream_scoops', 'mist guests_today'])
  await page.getByRole('button', { name: 'unmark guests_today' }).click()
  await expect(page.locator('.caution.marked')).toHaveCount(0)
})

test('against the truth: four kinds by colour, dash and word, and the metrics of evaluate', async ({ page }) => {
  await open(page, 'truth')
  const m = JSON.parse(execFileSync(polydag, ['evaluate', '--truth', `${files}/truth8.csv`, `${files}/geo.json`, '--json'], { encoding: 'utf8' }))
  const legend = page.locator('.legend')
  await expect(legend).toContainText(`right (${m.tp})`)
  await expect(legend).toContainText(`(${m.reversed})`)
  await expect(legend).toContainText(`missing: in the truth only (${m.missing})`)
  await expect(legend).toContainText(`extra: not in the truth (${m.extra})`)
  const { edges } = await shown(page)
  expect(edges.length).toBe(m.edges_estimated + m.missing)
  for (const kind of ['missing', 'extra', 'reversed'] as const) {
    const of = edges.filter((e) => e.label.startsWith(kind))
    expect(of.length).toBe(m[kind])
    expect(of.every((e) => e.dashed)).toBe(true)
  }
  const colours = new Set(edges.map((e) => `${e.label.split(' ')[0]!.replace(/[^a-z]/g, '')} ${e.colour}`))
  expect(new Set([...colours].map((c) => c.split(' ')[1])).size).toBe(colours.size)
  await page.getByRole('tab', { name: 'Compare' }).click()
  await expect(page.locator('.metrics')).toContainText(`${m.shd} = ${m.missing} + ${m.extra} + ${m.reversed}`)
  await page.locator('#view').selectOption({ label: 'geo.json' })
  expect((await shown(page)).edges.length).toBe(m.edges_estimated)
})

test('two results: both, reversed, only one', async ({ page }) => {
  await open(page, 'compare')
  const [a, b] = ['demo', 'geo'].map((f) => (JSON.parse(readFileSync(`${files}/${f}.json`, 'utf8')).edges as { from: string; to: string; verdict?: string }[])
    .map((e) => (!e.verdict || e.verdict === 'directed' ? `${e.from} > ${e.to}` : `${[e.from, e.to].sort().join(' - ')}`)))
  const pair = (e: string) => e.split(/ [>-] /).sort().join(' ')
  const both = a!.filter((e) => b!.includes(e)).length
  const turned = a!.filter((e) => b!.some((x) => pair(x) === pair(e))).length - both
  const onlyA = a!.length - both - turned
  const onlyB = b!.length - both - turned
  const legend = page.locator('.legend')
  await expect(legend).toContainText(`in both (${both})`)
  await expect(legend).toContainText(new RegExp(`in both, reversed( or with other marks)? \\(${turned}\\)`))
  await expect(legend).toContainText(`only in A (${onlyA})`)
  await expect(legend).toContainText(`only in B (${onlyB})`)
  expect((await shown(page)).edges.length).toBe(both + turned + onlyA + onlyB)
  await page.getByRole('tab', { name: 'Compare' }).click()
  await expect(page.locator('#panel')).toContainText(`Both have ${both} edge`)
  const place = async () => (await shown(page)).nodes.map((n) => `${n.name} ${Math.round(n.x)} ${Math.round(n.y)}`)
  const before = await place()
  await page.locator('#view').selectOption({ label: 'B: geo.json' })
  expect((await shown(page)).edges.length).toBe(b!.length)
  expect(await place()).toEqual(before) // nothing moves when the view changes
})

test('certificate, data and run show what the result has', async ({ page }) => {
  await open(page, 'rich')
  const panel = page.locator('#panel')
  await page.getByRole('tab', { name: 'Certificate' }).click()
  await expect(panel).toContainText('A topological order exists.')
  await expect(panel).toContainText('each of 9 edges goes forward')
  await expect(panel).toContainText('No threshold.')
  await page.getByRole('tab', { name: 'Data' }).click()
  await expect(panel).toContainText('Warning: moss has skewness 4.1.')
  await expect(panel).toContainText('What to do: Consider --set log=moss.')
  await expect(panel).toContainText('67 % of the adjacent pairs')
  await page.getByRole('tab', { name: 'Run' }).click()
  await expect(panel.locator('.trace').first().locator('figure')).toHaveCount(3)
  await expect(panel.getByRole('img', { name: /^h from 3 at step 0/ })).toBeVisible()
  await expect(panel.locator('.trace').nth(1)).toContainText('Edges from 12 at step 1 to 9 at step 4')
  await page.getByRole('tab', { name: 'Guide' }).click()
  await expect(panel).toContainText('not about people')
  await open(page, 'truth')
  await page.getByRole('tab', { name: 'Certificate' }).click()
  await expect(panel).toContainText('Cyclic components: ')
  await expect(panel).toContainText('h before the threshold:')
  await expect(panel).toContainText('h after the threshold:')
})

// edgesOf are those of a result on disk.
const edgesOf = (name: string) => JSON.parse(readFileSync(`${files}/${name}.json`, 'utf8')).edges as { from: string; to: string; verdict: string; confidence: number; evidence?: { text: string }[] }[]

test('confidence fades edges; only directed ones have a head, and only weak ones are dotted', async ({ page }) => {
  await open(page, 'rich')
  const { edges } = await shown(page)
  expect(Math.max(...edges.map((e) => e.opacity))).toBe(1)
  expect(Math.min(...edges.map((e) => e.opacity))).toBeLessThan(0.6)
  await expect(page.locator('.legend')).toContainText('lower confidence')
  const { faults } = await open(page, 'verdicts')
  const count = (v: string) => edgesOf('verdicts').filter((e) => e.verdict === v).length
  for (const v of ['directed', 'undirected', 'weak']) {
    expect(count(v)).toBeGreaterThan(0)
    await expect(page.locator('.legend')).toContainText(new RegExp(`${v}[^)]*(\\([^)]*\\))? \\(${count(v)}\\)`))
  }
  await expect(page.locator('#panel')).toContainText(`${count('directed')} directed, ${count('undirected')} undirected, ${count('weak')} weak.`)
  const drawn = await page.evaluate(() => document.getElementById('graph')!._cyreg!.cy.edges().map((e) => ({ head: e.style('target-arrow-shape') as string, dotted: e.style('line-style') === 'dashed' })))
  expect(drawn.filter((e) => e.head !== 'none').length).toBe(count('directed'))
  expect(drawn.filter((e) => e.dotted).length).toBe(count('weak'))
  // The filter by verdict hides, counts and says so.
  await page.locator('#which').selectOption('directed')
  await expect(page.locator('#count')).toHaveText(`${count('directed')} of 9 edges shown, ${9 - count('directed')} hidden`)
  expect((await shown(page)).edges.filter((e) => e.visible).length).toBe(count('directed'))
  // A window of another size lays the graph out again while edges are hidden; they come back with their labels at them.
  await page.setViewportSize({ width: 1100, height: 700 })
  await page.waitForTimeout(400)
  await page.locator('#which').selectOption('all')
  const far = await page.evaluate(() => document.getElementById('graph')!._cyreg!.cy.edges().map((e) => [e.data('mx'), e.data('my')] as number[]).filter(([x, y]) => x === undefined || Math.hypot(x, y!) > 400).length)
  expect(far).toBe(0)
  expect(faults).toEqual([])
})

test('two variables with an edge: the verdict, its probabilities and the evidence come first', async ({ page }) => {
  await open(page, 'verdicts')
  const edge = edgesOf('verdicts').find((e) => e.verdict === 'undirected')!
  await page.locator('#pick0').selectOption({ label: edge.from })
  await page.locator('#pick1').selectOption({ label: edge.to })
  const panel = page.locator('#panel')
  await expect(panel.locator('.rests h3')).toHaveText(`Edge ${edge.from} — ${edge.to}`)
  await expect(panel.locator('.judgement')).toHaveText(/Verdictundirected.*Connected0\.95.*Direction.*: 0\.60/)
  await expect(panel.locator('.judgement')).toContainText('(from the names of the columns)')
  await expect(panel.locator('.evidence')).toContainText('Names: age comes first by its name. Log odds +3.5.')
  await expect(panel.locator('.evidence')).toContainText('Log odds +0.6, with the weight 0.25 of the model here.')
  await expect(panel.locator('.evidence')).toContainText('Failed checks: failed checks at these variables: curvature (x).')
  await expect(panel.locator('.judgement dt').first()).toHaveAttribute('title', /direction is not stated/)
})

test('the second variable that is chosen comes into the window', async ({ page }) => {
  await openGraph(page, 'd100')
  const names = JSON.parse(readFileSync(`${files}/d100.json`, 'utf8')).names as string[]
  for (const second of names.slice(-4)) {
    await page.locator('#pick0').selectOption({ label: names[0]! })
    await page.locator('#pick1').selectOption({ label: second })
    await expect.poll(() => page.evaluate(() => {
      const cy = document.getElementById('graph')!._cyreg!.cy
      return cy.nodes('.picked').map((n) => n.renderedBoundingBox({ includeLabels: false })).every((b) => b.x1 >= -1 && b.y1 >= -1 && b.x2 <= cy.width() + 1 && b.y2 <= cy.height() + 1)
    }), second).toBe(true)
    await page.keyboard.press('Escape')
  }
})

test('a table that the model does not suit has badges, and failed checks stand with the edges they concern', async ({ page }) => {
  await open(page, 'binary')
  await expect(page.locator('.badges')).toContainText('failed: the noise is not Gaussian')
  const { edges } = await shown(page)
  expect(edges.length).toBeGreaterThan(0)
  await page.getByRole('tab', { name: 'Data' }).click()
  await expect(page.locator('#panel')).toContainText('the noise is Gaussian: failed. 8 columns have only two distinct values')
  await page.getByRole('tab', { name: 'Table' }).click()
  await expect(page.locator('#panel table').first()).toContainText(/directed|weak/)
  await open(page, 'demo')
  await expect(page.locator('.badges')).toHaveText('1 warning') // attributes of people
  await expect(page.locator('.legend')).toContainText(`arrow: directed (${edgesOf('demo').filter((e) => e.verdict === 'directed').length})`)
})

test('the table has everything and sorts', async ({ page }) => {
  await open(page, 'rich')
  await page.getByRole('tab', { name: 'Table' }).click()
  const table = page.locator('table').first()
  await expect(table.locator('tbody tr')).toHaveCount(9)
  await expect(table.locator('th[aria-sort=descending]')).toHaveText('Gain')
  await expect(table.locator('tbody tr').first()).toContainText('dry_soil')
  await expect(page.locator('table').nth(1).locator('tbody tr')).toHaveCount(8)
  await page.getByLabel('light is sensitive').check()
  await expect(page.locator('.caution.marked')).toContainText('light')
})

test('the graph can be walked by keyboard', async ({ page }) => {
  await open(page, 'demo')
  await page.locator('#graph').focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('#said')).toContainText('chosen')
  await page.keyboard.press('ArrowDown')
  const h2 = page.locator('#panel h2')
  await expect(h2).toHaveText('dry_soil')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await expect(h2).toHaveText('dry_soil and mushroom')
  await expect(page.locator('#said')).toHaveText('Paths from dry_soil to mushroom')
  await page.keyboard.press('Escape')
  await expect(h2).toHaveText('The graph')
  await page.getByRole('tab', { name: 'Explore' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'What if' })).toBeFocused()
  await expect(h2).toHaveText('What if')
})

test('the view is saved as SVG and PNG', async ({ page }) => {
  const { faults } = await open(page, 'rich')
  await page.locator('#least').fill('0.5')
  const heads = (await shown(page)).edges.filter((e) => e.visible && e.head !== 'none').length
  const save = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    return readFileSync((await download.path())!)
  }
  const svg = (await save('Save the view as SVG')).toString('utf8')
  // On a page of its own: the report's policy lets nobody make a document out of text.
  const blank = await page.context().newPage()
  const parsed = await blank.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, 'image/svg+xml')
    return { heads: doc.querySelectorAll('polygon').length, boxes: doc.querySelectorAll('rect').length, whole: doc.documentElement.localName === 'svg' && !doc.querySelector('parsererror') }
  }, svg)
  await blank.close()
  expect(parsed.whole).toBe(true)
  expect(parsed.heads).toBe(heads)
  expect(parsed.boxes).toBe(1 + 8 + 1) // the ground, the variables, the inner frame of the sensitive one
  expect(svg).toContain('dry_soil')
  expect(svg).toContain('viewBox')
  const png = await save('Save the view as PNG')
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  expect(png.readUInt32BE(16)).toBeGreaterThan(800)
  expect(faults).toEqual([])
})

test('the view is printed as one page of PDF, with text as text', async ({ page }) => {
  const { faults } = await open(page, 'rich')
  await page.evaluate(() => (window.print = () => {})) // the dialog would wait for a person
  await page.getByRole('button', { name: 'Print the view, or save it as PDF' }).click()
  await expect(page.locator('#print svg')).toBeAttached()
  const size = await page.locator('#print svg').evaluate((e) => [e.getAttribute('width'), e.getAttribute('height')].map(Number))
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('#print')).toBeVisible()
  await expect(page.locator('#app')).toBeHidden()
  await page.emulateMedia({ media: null })
  await expect(page.locator('#print')).toBeHidden()
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1)
  const box = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf)!.slice(1).map(Number)
  expect(box[0]! / 0.75).toBeCloseTo(size[0]!, -1)
  expect(box[1]! / 0.75).toBeCloseTo(size[1]! + 1, -1)
  expect(pdf).toContain('/Font')
  await expect(page.locator('#print')).toHaveCount(0) // gone after the print
  await expect(page.locator('#app')).toBeVisible()
  expect(faults).toEqual([])
})

test('the tab Run has a methods paragraph that can be copied', async ({ page }) => {
  const { faults } = await open(page, 'demo')
  await page.getByRole('tab', { name: 'Run' }).click()
  await page.getByText('Methods paragraph for a paper').click()
  const text = await page.getByRole('region', { name: 'Methods paragraph' }).textContent()
  expect(text).toBe(execFileSync(polydag, ['convert', `${files}/demo.json`, '-', '--to', 'methods'], { encoding: 'utf8' }))
  const button = page.getByRole('button', { name: 'Copy the methods paragraph' })
  await button.click()
  await expect.poll(() => button.textContent()).toMatch(/Copied|press Ctrl\+C/)
  await audit(page)
  expect(faults).toEqual([])
})

test('names that are markup stay names', async ({ page }) => {
  const { faults } = await open(page, 'hostile')
  const s = await shown(page)
  const names = hostileNames.map((n) => n.replace(/[\u202e\u2028]/g, '\ufffd'))
  expect(s.nodes.map((n) => n.name)).toEqual(names)
  for (const tab of ['Table', 'Certificate', 'Data', 'Run', 'Guide', 'Explore']) {
    await page.getByRole('tab', { name: tab }).click()
  }
  for (const name of names) {
    await clickNode(page, name)
    await page.keyboard.press('Escape')
  }
  await clickNode(page, hostileNames[3]!)
  await expect(page.locator('#panel h2 bdi')).toHaveText(hostileNames[3]!.trim())
  await page.keyboard.press('Escape')
  await page.locator('#search').fill('<img')
  await page.keyboard.press('Enter')
  await expect(page.locator('#panel h2 bdi')).toHaveText(hostileNames[0]!)
  await page.locator('#pick1').selectOption({ index: 3 })
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the view as SVG' }).click()])
  const svg = readFileSync((await download.path())!, 'utf8')
  expect(svg).not.toContain('<img')
  expect(svg).not.toContain('<script')
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined()
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.locator('script').count()).toBe(2)
  expect(faults).toEqual([])
})

test('boxes never overlap, nor do words on arrows where room is kept for them', async ({ page }) => {
  // dense.spec.ts does the same on the large graphs.
  for (const name of ['demo', 'truth', 'compare', 'hostile', 'truth40']) {
    await open(page, name)
    expect(await overlapping(page), name).toEqual([])
  }
})

test('the file is small', () => {
  for (const d of ['demo', 'd40', 'd100', 'd300', 'mixed300']) {
    const size = statSync(`${files}/${d}.html`).size
    console.log(`${d}: ${(size / 1e6).toFixed(2)} MB`)
  }
  for (const d of ['demo', 'd300', 'mixed300']) expect(statSync(`${files}/${d}.html`).size, d).toBeLessThan(1.5e6)
})

test('a large report is compressed, opens, and says when its data were changed', async ({ page }) => {
  const html = readFileSync(`${files}/mixed300.html`, 'utf8')
  expect(html).toContain('id="data">"H4sI') // gzip in base64
  const { faults } = await open(page, 'mixed300')
  await expect(page.locator('header')).toContainText('300 variables')
  expect(faults).toEqual([])
  writeFileSync(`${files}/changed.html`, html.replace(/id="data">"(.{9000})./, 'id="data">"$1'))
  await page.goto(`file://${files}/changed.html`)
  await expect(page.getByRole('alert')).toContainText('cannot be decompressed')
})

const shapes: Record<string, string> = { '-': 'none', '<': 'triangle', '>': 'triangle', o: 'circle' }

for (const kind of ['cpdag', 'pag']) {
  test(`a ${kind}: what stands at both ends is drawn, explained and no part of paths`, async ({ page }) => {
    const { faults } = await open(page, kind)
    const edges = (JSON.parse(readFileSync(`${files}/${kind}.json`, 'utf8')) as { edges: { from: string; to: string; mark: string }[] }).edges
    const drawn = await page.evaluate(() => {
      const cy = document.getElementById('graph')!._cyreg!.cy
      return cy.edges().map((e) => ({ tail: e.style('source-arrow-shape'), head: e.style('target-arrow-shape'), fill: e.style('source-arrow-fill'), dashed: e.style('line-style'), width: e.style('width') }))
    })
    expect(drawn.length).toBe(edges.length)
    edges.forEach((e, k) => {
      expect(drawn[k], e.mark).toMatchObject({ tail: shapes[e.mark[0]!], head: shapes[e.mark[2]!] })
      if (e.mark[0] === 'o') expect(drawn[k]!.fill).toBe('hollow')
      if (e.mark !== '-->') expect(drawn[k]!.dashed).toBe('solid')
    })
    const words: Record<string, string> = { '---': 'undirected', '<->': 'neither causes the other', 'o->': 'the second does not cause the first', 'o--': 'the second causes the first', 'o-o': 'either may cause the other' }
    for (const e of edges) if (words[e.mark]) await expect(page.locator('.legend')).toContainText(words[e.mark]!)
    // The slider hides no edge that has no weight.
    await page.locator('#least').fill('0.5')
    await expect(page.locator('#count')).toContainText(`${edges.length} of ${edges.length} edges shown`)
    // Paths go along directed edges only.
    const [from, to] = kind === 'cpdag' ? ['d', 'e'] : ['a', 'c']
    await page.locator('#pick0').selectOption({ label: from! })
    await expect(page.locator('#panel')).toContainText('Other edges (')
    await page.locator('#pick1').selectOption({ label: to! })
    await expect(page.locator('#panel')).toContainText('Directed paths: none')
    await page.keyboard.press('Escape')
    for (const tab of ['Table', 'Certificate', 'Data', 'Run', 'Guide', 'Explore']) await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tab', { name: 'Certificate' }).click()
    await expect(page.locator('#panel')).toContainText(kind.toUpperCase())
    await expect(page.locator('#panel')).not.toContainText('h before')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the view as SVG' }).click()])
    const svg = readFileSync((await download.path())!, 'utf8')
    expect((svg.match(/<circle/g) ?? []).length).toBe(edges.map((e) => e.mark.split('o').length - 1).reduce((a, b) => a + b))
    expect((svg.match(/<polygon/g) ?? []).length).toBe(edges.map((e) => e.mark.split(/[<>]/).length - 1).reduce((a, b) => a + b))
    expect(faults).toEqual([])
  })
}

test('the page is called after the table, and says which one it was and what made the result', async ({ page }) => {
  await open(page, 'd40')
  const r = JSON.parse(readFileSync(`${files}/d40.json`, 'utf8')) as { table: { name: string; sha256: string }; program: { version: string } }
  expect(r.table.name).toBe('d40.csv')
  await expect(page).toHaveTitle('d40.csv · polydag')
  await expect(page.locator('h1')).toHaveText('d40.csv')
  await page.getByRole('tab', { name: 'Data' }).click()
  const hash = page.locator(`code[title="${r.table.sha256}"]`)
  await expect(hash).toHaveText(`${r.table.sha256.slice(0, 12)}…`)
  await page.getByRole('button', { name: 'Copy the SHA of the file' }).click()
  await page.getByRole('tab', { name: 'Run' }).click()
  await expect(page.locator('#panel')).toContainText(`polydag ${r.program.version}`)
  await expect(page.locator('#panel')).toContainText('Chosen by the method')
})
