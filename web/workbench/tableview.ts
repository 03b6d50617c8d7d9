import type { Bench } from './bench'
import type { Column, ColumnPreview, Remedy } from './backend'
import { chart } from './charts'
import { applicable, kinds, roles, rowOrder, type Role } from './settings'
import { advice, choices, fields, phrase, plain, remediesIn, remedyLabel, tips } from './words'
import { terms } from '../src/terms'
import { bdi, h, plural, visible } from '../src/dom'

// Cards that are shown before the visitor asks for all.
const shownCards = 60

let filter = ''
let all = false

// tableView shows a table: what was found, and a card for each column.
export function tableView(bench: Bench): Node[] {
  const { table, check } = bench
  if (!table) return []
  const redo = () => void bench.recheck()
  const out: Node[] = [h('h2', { id: 'h-table' }, bdi(table.name, 60))]
  if (bench.checking && !check) out.push(h('p', { class: 'dim', role: 'status' }, `Reading ${visible(table.name)}, ${size(table.file.size)}…`))
  if (bench.fault) out.push(problem(bench, bench.fault, redo))
  if (!check) return out
  const variables = bench.variables()
  const total = bench.previews.length || check.columns.length
  out.push(
    h('p', { id: 'summary', role: 'status' }, `${plural(check.rows_read, 'row')}, ${plural(total, 'column')}, ${plural(variables.length, 'variable')} in the graph.${bench.checking ? ' Checking…' : ''}`),
    ...changes(bench, redo),
    findings(bench, redo),
    h('h3', {}, 'Options'),
    reading(bench, redo),
    ...series(bench, redo),
    h('h3', {}, 'Columns'),
  )
  const names = bench.previews.length ? bench.previews.map((c) => c.name) : check.columns.map((c) => c.name)
  if (names.length > 12) {
    out.push(h('p', {}, h('label', { for: 'filter' }, 'Find a column '), h('input', { type: 'search', id: 'filter', value: filter, input: (e: Event) => {
      filter = (e.target as HTMLInputElement).value
      bench.changed()
    } })))
  }
  const found = names.filter((n) => n.toLowerCase().includes(names.length > 12 ? filter.toLowerCase() : ''))
  const shown = all ? found : found.slice(0, shownCards)
  out.push(h('ul', { class: 'columns' }, shown.map((name) => card(bench, name, names.indexOf(name), redo))))
  if (shown.length < found.length) out.push(h('p', {}, h('button', { type: 'button', click: () => ((all = true), bench.changed()) }, `Show all ${found.length} columns`)))
  out.push(firstRows(bench))
  return out
}

export const size = (b: number) => (b < 1e6 ? `${Math.ceil(b / 1e3)} kB` : b < 1e9 ? `${(b / 1e6).toFixed(1)} MB` : `${(b / 1e9).toFixed(2)} GB`)

// problem is an error with the buttons that remedy it.
export function problem(bench: Bench, text: string, done: () => void): Node {
  return h('div', { class: 'finding error', role: 'alert' }, h('p', {}, plain(text)), buttons(bench, remediesIn(text), done))
}

function buttons(bench: Bench, remedies: Remedy[], done: () => void): Node | false {
  const use = remedies.filter(applicable)
  return use.length > 0 && h('p', { class: 'row' }, use.map((r) => h('button', { type: 'button', click: () => {
    bench.settings.apply(r)
    done()
  } }, remedyLabel(r))))
}

// changes lists what the visitor changed; a press takes it back.
function changes(bench: Bench, redo: () => void): Node[] {
  if (bench.settings.list.length === 0) return []
  return [h('div', { class: 'row', role: 'group', 'aria-label': 'Your changes' }, h('span', { class: 'dim' }, 'Your changes:'),
    bench.settings.list.map((s) => h('button', { type: 'button', class: 'chip', 'aria-label': `Undo: ${phrase(s)}`, title: 'Undo', click: () => {
      bench.settings.remove(...s)
      redo()
    } }, phrase(s), ' ×')))]
}

// sentence begins with a capital letter and has no full stop.
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')

function findings(bench: Bench, redo: () => void): Node {
  const list = bench.check!.findings
  if (list.length === 0) return h('p', { id: 'findings' }, 'The data checks found no problem.')
  const item = (f: (typeof list)[number]) => h('li', { class: `finding ${f.severity}` },
    h('p', {}, h('strong', {}, `${sentence(f.severity)}: `), `${sentence(f.sentence)}.`), h('p', { class: 'dim' }, advice(f) && `${sentence(advice(f))}.`), buttons(bench, f.remedies ?? [], redo))
  const grave = list.filter((f) => f.severity !== 'note')
  const notes = list.filter((f) => f.severity === 'note')
  return h('section', { id: 'findings', 'aria-label': 'Data checks' },
    h('h3', {}, 'Data checks'),
    h('ul', {}, grave.slice(0, 6).map(item)),
    (notes.length > 0 || grave.length > 6) && h('details', {}, h('summary', {}, grave.length > 6 ? `${grave.length - 6 + notes.length} more findings` : plural(notes.length, 'note')), h('ul', {}, [...grave.slice(6), ...notes].map(item))))
}

// choice is a select for a setting with few values.
export function choice(bench: Bench, flag: string, title: string, redo: () => void): Node {
  const words = choices[flag]!
  const first = Object.keys(words)[0]!
  const now = bench.settings.get(flag) ?? first
  const select = h('select', { id: flag, change: (e: Event) => {
    const v = (e.target as HTMLSelectElement).value
    bench.settings.set(flag, v === first ? '' : v)
    redo()
  } }, Object.entries(words).map(([v, w]) => h('option', { value: v, selected: v === now }, w)), !(now in words) && h('option', { value: now, selected: true }, now))
  return h('span', { class: 'field' }, h('label', { for: flag, title }, fields[flag]!), ' ', select)
}

// reading has the settings for missing values and text.
function reading(bench: Bench, redo: () => void): Node {
  const markers = bench.settings.list.filter(([f, v]) => f === 'na' && !v.includes('=')).map(([, v]) => v)
  return h('details', { class: 'options', id: 'reading' }, h('summary', {}, 'Missing values and text'),
    h('div', { class: 'row' },
      choice(bench, 'missing', terms.missing, redo),
      choice(bench, 'encode', terms.text, redo),
      h('span', { class: 'field' }, h('label', { for: 'na', title: tips.markers }, fields.na!), ' ', h('input', { id: 'na', type: 'text', value: markers.join(', '), placeholder: 'unknown, -99', change: (e: Event) => {
        bench.settings.list = bench.settings.list.filter(([f, v]) => f !== 'na' || v.includes('='))
        for (const word of (e.target as HTMLInputElement).value.split(',').map((w) => w.trim()).filter((w) => w)) bench.settings.set('na', word)
        redo()
      } }))))
}

// series has the settings of a time series. It is folded away until a column has the time or names the series.
function series(bench: Bench, redo: () => void): Node[] {
  const { settings } = bench
  const time = settings.get('time')
  const set = (flag: string, value: string) => {
    settings.set(flag, value)
    redo()
  }
  const text = (flag: string, title: string, hint: string) => h('span', { class: 'field' }, h('label', { for: flag, title }, fields[flag]!), ' ',
    h('input', { id: flag, type: 'text', size: 6, value: settings.get(flag) ?? '', placeholder: hint, change: (e: Event) => set(flag, (e.target as HTMLInputElement).value.trim()) }))
  const box = (flag: string, title: string) => {
    const input = h('input', { id: flag, type: 'checkbox', checked: settings.get(flag) === 'true', change: () => set(flag, input.checked ? 'true' : '') })
    return h('label', { for: flag, title }, input, ` ${fields[flag]}`)
  }
  const begin = h('button', { type: 'button', id: 'row-order', click: () => set('time', rowOrder) }, 'The rows are in the order of time')
  if (time === undefined && settings.get('series') === undefined) {
    return [h('details', { id: 'series-settings', class: 'options' }, h('summary', {}, 'Time series'), h('p', {}, 'If the rows follow each other in time, give one column the role “time”. If there is no such column: ', begin))]
  }
  const about = time === undefined ? h('p', { class: 'finding warning' }, 'Give one column the role “time”, or: ', begin)
    : h('p', { class: 'dim' }, 'Past values of each variable may be causes. ', time === rowOrder ? 'The rows are in the order of time.' : ['Time: ', bdi(time), '.'], settings.get('series') !== undefined && [' Series: ', bdi(settings.get('series')!), '; no lag crosses a series.'])
  return [h('section', { id: 'series-settings', class: 'options', 'aria-label': 'Time series' }, h('h3', {}, 'Time series'), about,
    h('div', { class: 'row' }, text('lags', tips.lags, 'automatic'), choice(bench, 'gaps', tips.gaps, redo), text('season', tips.season, 'none')),
    h('details', { id: 'more-time' }, h('summary', {}, 'More'),
      h('div', { class: 'row' }, text('step', tips.step, 'median'), choice(bench, 'aggregate', tips.aggregate, redo), box('difference', tips.difference), box('detrend', tips.detrend))))]
}

// telling reports whether a distribution says something: an identifier has each value once.
const telling = (p: ColumnPreview) => p.counts !== undefined || (p.categories?.some((c) => c.count > 1) ?? false)

// Reasons for which a column cannot be used at all.
const hopeless = new Set(['constant', 'no values'])

function card(bench: Bench, name: string, at: number, redo: () => void): Node {
  const { settings, check } = bench
  const column = check!.columns.find((c) => c.name === name)
  const out = check!.excluded?.find((x) => x.name === name)
  const preview = bench.previews[at]
  const role = settings.role(name)
  const used = !role && !out && !column?.dropped
  const select = h('select', { id: `role-${at}`, 'aria-label': `Role of ${visible(name)}`, change: (e: Event) => {
    const v = (e.target as HTMLSelectElement).value as Role | ''
    if (v === '' && (out || column?.dropped)) settings.keep(name)
    else settings.setRole(name, v)
    redo()
  } }, h('option', { value: '', selected: used || (!role && !out) }, 'variable'),
    Object.entries(roles).map(([flag, word]) => h('option', { value: flag, title: flag === 'time' ? tips.time : flag === 'series' ? tips.series : undefined, selected: role === flag || (flag === 'drop' && !role && !used) }, word)))
  return h('li', { class: `column${used ? '' : ' out'}` },
    h('h4', {}, bdi(name, 60)),
    h('div', { class: 'choices' }, h('span', { class: 'dim', 'aria-hidden': 'true' }, 'Role'), select, used && [h('span', { class: 'dim', 'aria-hidden': 'true' }, 'Kind'), kindSelect(bench, name, at, column, redo)]),
    used && column?.kind === 'time' && settings.get('time') === undefined && h('p', {}, h('button', { type: 'button', title: tips.time, 'aria-label': `Use ${visible(name)} as time`, click: () => {
      settings.setRole(name, 'time')
      redo()
    } }, 'Use as time')),
    preview && telling(preview) && chart(preview),
    h('p', { class: 'dim facts' }, facts(bench, column, preview?.missing)),
    (out || column?.dropped) && !role ? h('div', {}, h('p', { class: 'reason' }, out ? `Excluded (${out.reason}): ${out.detail}.` : `Excluded: ${column!.dropped}.`),
      !hopeless.has(out?.reason ?? '') && h('button', { type: 'button', 'aria-label': `Use ${visible(name)} anyway`, click: () => {
        settings.keep(name)
        redo()
      } }, 'Use it anyway')) : null)
}

function kindSelect(bench: Bench, name: string, at: number, column: Column | undefined, redo: () => void): Node {
  const own = bench.settings.kind(name)
  return h('select', { id: `kind-${at}`, 'aria-label': `Kind of ${visible(name)}`, title: column?.taken_as_reason, change: (e: Event) => {
    const v = (e.target as HTMLSelectElement).value
    bench.settings.setKind(name, v === 'auto' ? '' : v)
    redo()
  } }, own && h('option', { value: 'auto' }, 'detect the kind'), kinds.map((k) => h('option', { value: k, selected: k === (own || column?.taken_as) }, k)),
    !own && !column?.taken_as && h('option', { value: 'auto', selected: true }, column?.kind ?? 'unknown'))
}

function facts(bench: Bench, column: Column | undefined, sampledMissing: number | undefined): string {
  const rows = bench.check!.rows_read
  const sampled = bench.check!.preview?.sampled ?? 0
  const share = column && rows ? column.missing / rows : sampled ? (sampledMissing ?? 0) / sampled : 0
  const parts = [share > 0 ? `${share < 0.001 ? 'less than 0.1' : (100 * share).toFixed(1)} % missing` : 'none missing']
  if (column?.distinct) parts.push(column.distinct >= 4096 ? '4096 or more distinct values' : plural(column.distinct, 'distinct value'))
  return parts.join(', ')
}

function firstRows(bench: Bench): Node {
  const rows = bench.check?.preview?.rows ?? []
  const caption = `First ${plural(rows.length, 'row')}`
  return h('details', { class: 'options', id: 'first' }, h('summary', {}, caption),
    h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption }, h('table', {},
      h('thead', {}, h('tr', {}, bench.previews.map((c) => h('th', { scope: 'col' }, bdi(c.name))))),
      h('tbody', {}, rows.map((r) => h('tr', {}, r.map((v) => h('td', {}, v === '' ? h('span', { class: 'dim', title: 'missing' }, '–') : bdi(v)))))))))
}
