import { crc32 } from 'node:zlib'

type Cell = string | number | null
interface Sheet {
  name: string
  rows: Cell[][]
}

// workbook is an Excel file with these sheets, as a zip archive without compression.
export function workbook(sheets: Sheet[]): Buffer {
  const text = (t: string) => t.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const cell = (c: Cell) => (c === null ? '<c/>' : typeof c === 'number' ? `<c><v>${c}</v></c>` : `<c t="inlineStr"><is><t>${text(c)}</t></is></c>`)
  return zip([
    ['xl/workbook.xml', `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>${sheets.map((s, k) => `<sheet name="${text(s.name)}" sheetId="${k + 1}" r:id="r${k}"/>`).join('')}</sheets></workbook>`],
    ['xl/_rels/workbook.xml.rels', `<Relationships>${sheets.map((_, k) => `<Relationship Id="r${k}" Target="worksheets/sheet${k}.xml"/>`).join('')}</Relationships>`],
    ...sheets.map((s, k): [string, string] => [`xl/worksheets/sheet${k}.xml`, `<worksheet><sheetData>${s.rows.map((r) => `<row>${r.map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`]),
  ])
}

function zip(files: [name: string, text: string][]): Buffer {
  const numbers = (...list: [value: number, bytes: 2 | 4][]) => Buffer.concat(list.map(([v, n]) => {
    const b = Buffer.alloc(n)
    n === 2 ? b.writeUInt16LE(v) : b.writeUInt32LE(v)
    return b
  }))
  const [local, central]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const [name, text] of files) {
    const [n, data] = [Buffer.from(name), Buffer.from(text)]
    const about = numbers([20, 2], [0, 2], [0, 2], [0, 4], [crc32(data), 4], [data.length, 4], [data.length, 4], [n.length, 2], [0, 2])
    const entry = Buffer.concat([numbers([0x04034b50, 4]), about, n, data])
    local.push(entry)
    central.push(Buffer.concat([numbers([0x02014b50, 4], [20, 2]), about, numbers([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), n]))
    at += entry.length
  }
  const list = Buffer.concat(central)
  return Buffer.concat([...local, list, numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [list.length, 4], [at, 4], [0, 2])])
}

// practice is a workbook as people keep them: a sheet of explanations first, then two rows of names, −999 for a missing value and a
// column of remarks, and a second table.
export function practice(): Buffer {
  let s = 7
  const random = () => (s = (s * 48271) % 2147483647) / 2147483647 - 0.5
  const rows: Cell[][] = [['Person', null, 'Labor', null, 'Kosten', 'Bemerkung'], ['Alter', 'Geschlecht', 'CRP', 'Glukose', 'Betrag', null]]
  const other: Cell[][] = [['Temperatur', 'Regen', 'Besucher']]
  for (let i = 0; i < 240; i++) {
    const age = 50 + Math.round(60 * random())
    const crp = age / 8 + 6 * random()
    const glucose = 60 + 6 * crp + 15 * random()
    rows.push([age, random() < 0 ? 'm' : 'w', crp, i % 24 === 5 ? -999 : glucose, 900 + 4 * glucose + 200 * random(), i % 40 === 13 ? `Person ${i} kam zu spät` : null])
    const heat = 15 + 20 * random()
    other.push([heat, 5 - heat / 5 + 5 * random(), 200 + 10 * heat + 40 * random()])
  }
  return workbook([{ name: 'Legende', rows: [['Spalte', 'Bedeutung'], ['Betrag', 'bezahlt, in Euro'], ['CRP', 'mg/l']] }, { name: 'Daten', rows }, { name: 'Wetter', rows: other }])
}
