import { expect, test } from '@playwright/test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { files } from './paths'
import { drawn, serve, type Served, take } from './server'

// The whole path from a dropped file to a graph on real tables, by clicking only. They are not part of the project; POLYDAG_DATA, or
// ../shared/data beside it, has them.
test.use({ offline: false })

const data = resolve(process.env.POLYDAG_DATA ?? resolve(import.meta.dirname, '../../../shared/data'))

let served: Served
test.beforeAll(async () => {
  served = await serve()
})
test.afterAll(() => {
  served.process.kill('SIGTERM')
})

// celeba writes 6 attributes of 202,599 faces as a table with the name of each file.
function celeba(path: string): string {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1)
  mkdirSync(files, { recursive: true })
  writeFileSync(`${files}/celeba.csv`, lines.map((l, i) => (i === 0 ? 'image,' : '') + l.trim().split(/\s+/).slice(0, i === 0 ? 6 : 7).join(',')).join('\n') + '\n')
  return `${files}/celeba.csv`
}

for (const { what, path, summary, says, make } of [
  { what: 'missing values', path: 'real/hitters/hitters.txt.gz', summary: '322 rows, 20 columns, 20 variables in the graph.', says: 'Salary 18.3%' },
  { what: 'identifiers', path: 'attributes/awa2_class_attributes.csv', summary: /^50 rows, 86 columns/, says: 'Excluded (identifier)' },
  { what: 'mixed kinds', path: 'real/credit-approval/crx.data.mixed.maximum.14.txt.gz', summary: '690 rows, 16 columns, 16 variables in the graph.', says: 'A15' },
  { what: 'hours of a year', path: 'real/seoul-bike/seoul-bike.mixed.maximum.4.txt.gz', summary: '8760 rows, 13 columns, 13 variables in the graph.', says: 'Rainfall' },
  { what: '202,599 rows', path: 'celeba/list_attr_celeba.txt.gz', summary: '202599 rows, 7 columns, 6 variables in the graph.', says: 'Excluded (identifier)', make: celeba },
]) {
  test(`a real table with ${what} becomes a graph`, async ({ page }) => {
    const file = resolve(data, path)
    test.skip(!existsSync(file), `${file} is not there`)
    const table = make ? make(file) : file
    await page.goto(served.address)
    const begun = Date.now()
    await take(page, table)
    await expect(page.locator('#summary')).toHaveText(summary)
    await expect(page.locator('#step-table')).toContainText(says)
    const checked = Date.now()
    await page.getByRole('button', { name: 'Learn the graph' }).click()
    await expect(drawn(page)).toBeAttached({ timeout: 220_000 })
    await expect(page.locator('#answer')).toContainText(/polydag found \d+ edges among \d+ variables/)
    console.log(`${what}: checked in ${((checked - begun) / 1000).toFixed(1)} s, learned and drawn in ${((Date.now() - checked) / 1000).toFixed(1)} s`)
  })
}
