import { expect, test, type FrameLocator, type Page } from '@playwright/test'
import { picture } from './audit'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { files, out, polydag } from './paths'
import { learned, serve, type Served, take } from './server'
import { mixedTable } from './tables'

// The whole path from a dropped file to an answer by clicking only, on six kinds of tables. The real ones are not part of the
// project: POLYDAG_DATA, or ../shared/data beside it, has them. Without them, tables of the same kinds are generated.
test.use({ offline: false })

const data = resolve(process.env.POLYDAG_DATA ?? resolve(import.meta.dirname, '../../../shared/data'))

let served: Served
test.beforeAll(async () => {
  mkdirSync(files, { recursive: true })
  mkdirSync(out, { recursive: true })
  served = await serve()
})
test.afterAll(() => {
  served.process.kill('SIGTERM')
})

const write = (name: string, text: string) => {
  writeFileSync(`${files}/${name}`, text)
  return `${files}/${name}`
}
const lines = (path: string) => gunzipSync(readFileSync(path)).toString().trim().split('\n')

// players has twelve columns of the baseball players of 1986, the salary among them, which is missing for some.
const players = (path: string) => write('players.csv', lines(path).map((l) => l.trim().split('\t')).map((r) => [...r.slice(0, 7), r[13], ...r.slice(15, 19)].join(',')).join('\n') + '\n')

// animals has the first 20 attributes of 50 animals and their names.
const animals = (path: string) => write('animals.csv', readFileSync(path, 'utf8').trim().split('\n').map((l) => l.split(',').slice(0, 21).join(',')).join('\n') + '\n')

// celeba has 6 attributes of 202,599 faces and the name of each file.
const celeba = (path: string) => write('celeba.csv', lines(path).slice(1).map((l, i) => (i === 0 ? 'image,' : '') + l.trim().split(/\s+/).slice(0, i === 0 ? 6 : 7).join(',')).join('\n') + '\n')

// bikes has the first 800 hours of the bikes rented in Seoul and of the weather. The copy has no dates; its rows are the hours from
// 1 December 2017 on.
const bikes = (path: string) => {
  const [head, ...rows] = lines(path).map((l) => l.trim().split('\t'))
  const kept = ['RentedBikeCount', 'Temperature', 'Humidity', 'WindSpeed', 'Visibility', 'SolarRadiation']
  const time = (i: number) => new Date(Date.UTC(2017, 11, 1, i)).toISOString().slice(0, 16).replace('T', ' ')
  return write('bikes.csv', [['time', ...kept], ...rows.slice(0, 800).map((r, i) => [time(i), ...kept.map((name) => r[head!.indexOf(name)]!)])].map((r) => r.join(',')).join('\n') + '\n')
}

// expression has five series of 21 points of the first network of DREAM4.
const expression = (path: string) => write('expression.csv', lines(path).filter((l, i) => i === 0 || l.startsWith('1,timeseries,')).map((l) => l.split(',').slice(2).join(',')).join('\n') + '\n')

const simulated = (name: string, ...args: string[]) => {
  execFileSync(polydag, ['simulate', ...args, '--output', `${files}/${name}`, '--truth', `${files}/path-truth.csv`], { stdio: ['ignore', 'ignore', 'ignore'] })
  return `${files}/${name}`
}
const mixed = (change: (cells: string[], row: number) => string[]) => mixedTable().trim().split('\n').map((l, i) => change(l.split(','), i).join(',')).join('\n') + '\n'

interface Kind {
  what: string
  path: string
  real?: (path: string) => string
  generated: () => string
  summary: RegExp
  prepare?: (page: Page) => Promise<void>
  look: (frame: FrameLocator) => Promise<void>
}

// predicted sets the first variable that changes another one.
async function predicted(frame: FrameLocator): Promise<void> {
  await frame.getByRole('tab', { name: 'What if' }).click()
  const count = await frame.locator('#set option').count()
  for (let k = 1; k < count; k++) {
    await frame.locator('#set').selectOption({ index: k })
    if (await frame.locator('#predicted').count()) break
  }
  await expect(frame.locator('#predicted tbody tr').first()).toBeVisible()
}

// twoVariables selects the ends of the strongest edge.
async function twoVariables(frame: FrameLocator): Promise<void> {
  const edge = frame.locator('#panel li').first().getByRole('button')
  const [from, to] = await edge.allTextContents()
  await frame.locator('#pick0').selectOption({ label: from! })
  await frame.locator('#pick1').selectOption({ label: to! })
  await expect(frame.locator('#panel h2')).toHaveText(`${from} and ${to}`)
}

// overTime looks at the lags of a series, at its graph unrolled, and at the response of one variable to another.
async function overTime(frame: FrameLocator): Promise<void> {
  const edge = frame.locator('#panel li').filter({ hasText: 'lag' }).first()
  await expect(edge).toContainText(/lag \d/)
  const [from, to] = await edge.getByRole('button').allTextContents()
  await frame.locator('#how-time').click()
  await expect(frame.locator('#time [data-now=true]')).not.toHaveCount(0)
  await frame.locator('#pick0').selectOption({ label: from! })
  await frame.locator('#pick1').selectOption({ label: to! })
  await expect(frame.locator('.impulse .band')).toBeVisible()
  await expect(frame.locator('#panel')).toContainText(/is largest at step \d+: /)
}

const kinds: Kind[] = [
  {
    what: 'missing values', path: 'real/hitters/hitters.txt.gz', real: players, summary: /^(322|1200) rows/, look: twoVariables,
    generated: () => write('gaps.csv', mixed((c, i) => (i > 0 && i % 7 === 0 ? [c[0]!, '', ...c.slice(2)] : c))),
  },
  {
    what: 'identifiers', path: 'attributes/awa2_class_attributes.csv', real: animals, summary: /^(50|1200) rows/, look: twoVariables, prepare: (page) => expect(page.locator('#step-table')).toContainText('Excluded (identifier)'),
    generated: () => write('people.csv', mixed((c, i) => [i === 0 ? 'person_id' : `p${i}`, ...c])),
  },
  {
    what: 'mixed kinds', path: 'real/credit-approval/crx.data.mixed.maximum.14.txt.gz', summary: /^(690|1200) rows/, look: predicted,
    generated: () => write('kinds.csv', mixedTable()),
  },
  {
    what: '200,000 rows', path: 'celeba/list_attr_celeba.txt.gz', real: celeba, summary: /^20(2599|0000) rows/, look: predicted,
    generated: () => simulated('long.csv', '--nodes', '6', '--rows', '200000'),
  },
  {
    what: 'a time series', path: 'real/seoul-bike/seoul-bike.mixed.maximum.4.txt.gz', real: bikes, summary: /^(800|500) rows/, look: overTime,
    generated: () => simulated('series5.csv', '--lags', '2', '--nodes', '5', '--rows', '500'),
    prepare: async (page) => {
      await page.getByLabel('Role of time').selectOption('time')
      await expect(page.locator('#series-settings')).toContainText('Time: time.')
      await expect(page.locator('#summary')).toHaveText(/[65] variables in the graph\.$/)
      if (!(await page.getByLabel('Role of Temperature').count())) return
      // Every day is a season of its own.
      await page.getByLabel('Season').fill('24')
      await page.getByLabel('Season').blur()
      await expect(page.getByRole('button', { name: 'Undo: Season: 24' })).toBeVisible()
      await expect(page.locator('#summary')).toHaveText(/6 variables in the graph\.$/)
    },
  },
  {
    what: 'several series', path: 'dream4/dream4_size10_expression.csv.gz', real: expression, summary: /^(105|400) rows/, look: overTime,
    generated: () => {
      const [head, ...rows] = readFileSync(simulated('panel5.csv', '--lags', '2', '--nodes', '5', '--rows', '400'), 'utf8').trim().split('\n')
      return write('panel5.csv', [`series,${head}`, ...rows.map((r, i) => `${i < 200 ? 'a' : 'b'},${r}`)].join('\n') + '\n')
    },
    prepare: async (page) => {
      await page.getByLabel('Role of series').selectOption('series')
      await page.getByLabel('Role of time').selectOption('time')
      await expect(page.locator('#series-settings')).toContainText('Time: time.')
      await expect(page.locator('#summary')).toHaveText(/(10|5) variables in the graph\.$/)
    },
  },
]

test('six tables become graphs by clicking only', async ({ page }) => {
  await page.goto(served.address)
  for (const { what, path, real, generated, summary, prepare, look } of kinds) {
    await test.step(what, async () => {
      const file = resolve(data, path)
      if (!existsSync(file)) console.log(`${what}: ${file} is not there; the table is generated`)
      const table = !existsSync(file) ? generated() : real ? real(file) : file
      const begun = Date.now()
      await take(page, table)
      await expect(page.locator('#summary')).toHaveText(summary)
      await prepare?.(page)
      const checked = Date.now()
      await page.getByRole('button', { name: 'Learn the graph' }).click()
      await learned(page, 150_000)
      await expect(page.locator('#answer')).toContainText(/polydag found \d+ edges among \d+ variables/)
      await look(page.frameLocator('#graph'))
      await picture(page, `path-${kinds.findIndex((k) => k.what === what)}`, true)
      await page.getByRole('button', { name: '5 Share' }).click()
      await expect(page.locator('#command')).toContainText('polydag learn ')
      console.log(`${what}: checked in ${((checked - begun) / 1000).toFixed(1)} s, learned, drawn and looked at in ${((Date.now() - checked) / 1000).toFixed(1)} s`)
    })
  }
})
