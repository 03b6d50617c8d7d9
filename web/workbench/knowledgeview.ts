import type { Bench } from './bench'
import type { Edge, Pin } from './knowledge'
import { bdi, h, short, visible } from '../src/dom'
import { terms } from '../src/terms'
import { tips } from './words'

let said = '' // about the last file
const many = 12 // variables above which they can be filtered
let filter = '' // of the variables in no lane

// knowledgeView shows the lanes, the edges and the knowledge file.
export function knowledgeView(bench: Bench): Node[] {
  const variables = bench.variables()
  if (variables.length === 0) return [h('h2', { id: 'h-knowledge' }, 'What you know'), h('p', {}, 'Choose a table first.')]
  return [
    h('h2', { id: 'h-knowledge' }, 'What you know'),
    h('p', {}, 'Everything here is optional, and polydag enforces it. Drag variables into the lanes, or choose a lane below each name: no arrow leads from a later lane to an earlier one.'),
    lanes(bench, variables),
    edges(bench, variables),
    file(bench, variables),
  ]
}

function lanes(bench: Bench, variables: string[]): Node {
  const k = bench.knowledge
  const move = (name: string, lane: number) => {
    if (lane < 0) k.tier.delete(name)
    else k.tier.set(name, lane)
    bench.changed()
  }
  const lane = (at: number, title: string) => {
    const own = variables.filter((v) => (k.tier.get(v) ?? -1) === at && (at >= 0 || v.toLowerCase().includes(variables.length > many ? filter.toLowerCase() : '')))
    return h('section', {
      class: at < 0 ? 'lane free' : 'lane', 'aria-label': title,
      dragover: (e: DragEvent) => {
        e.preventDefault()
        ;(e.currentTarget as Element).classList.add('over')
      },
      dragleave: (e: DragEvent) => (e.currentTarget as Element).classList.remove('over'),
      drop: (e: DragEvent) => {
        const i = Number(e.dataTransfer?.getData('text/x-variable') || -1)
        if (variables[i] === undefined) return
        e.preventDefault()
        e.stopPropagation()
        move(variables[i], at)
      },
    }, h('h3', {}, title), h('ul', {}, own.map((v) => chip(bench, v, variables.indexOf(v), move))))
  }
  return h('div', {},
    variables.length > many && h('p', {}, h('label', { for: 'find-variable' }, 'Find a variable '), h('input', { type: 'search', id: 'find-variable', value: filter, input: (e: Event) => {
      filter = (e.target as HTMLInputElement).value
      bench.changed()
    } })),
    h('div', { class: 'lanes' }, Array.from({ length: k.lanes }, (_, i) => lane(i, laneName(i, k.lanes))), lane(-1, 'Any time')),
    h('p', { class: 'row' },
      h('button', { type: 'button', click: () => ((k.lanes += 1), bench.changed()) }, 'Add a lane'),
      k.lanes > 2 && h('button', { type: 'button', click: () => {
        k.lanes -= 1
        for (const [v, i] of k.tier) if (i >= k.lanes) k.tier.set(v, k.lanes - 1)
        bench.changed()
      } }, 'Remove the last lane')))
}

const laneName = (i: number, of: number) => `${i + 1}. ${i === 0 ? 'Before' : i === of - 1 ? 'After' : 'Between'}`

function chip(bench: Bench, name: string, at: number, move: (name: string, lane: number) => void): Node {
  const k = bench.knowledge
  const pin = k.pin.get(name) ?? ''
  const lane = k.tier.get(name) ?? -1
  return h('li', { class: `variable ${pin}`, draggable: 'true', dragstart: (e: DragEvent) => e.dataTransfer?.setData('text/x-variable', String(at)) },
    bdi(name, 30),
    h('span', { class: 'row' },
      h('select', { id: `lane-${at}`, 'aria-label': `Lane of ${visible(name)}`, change: (e: Event) => move(name, Number((e.target as HTMLSelectElement).value)) },
        h('option', { value: -1, selected: lane < 0 }, 'any time'), Array.from({ length: k.lanes }, (_, i) => h('option', { value: i, selected: lane === i }, laneName(i, k.lanes)))),
      h('select', { id: `pin-${at}`, 'aria-label': `Position of ${visible(name)}`, title: tips.position, change: (e: Event) => {
        k.pin.set(name, (e.target as HTMLSelectElement).value as Pin)
        bench.changed()
      } }, [['', 'any position'], ['root', 'root: nothing drives it'], ['outcome', 'outcome: it drives nothing']].map(([v, w]) => h('option', { value: v!, selected: v === pin }, w!)))))
}

function edges(bench: Bench, variables: string[]): Node {
  const k = bench.knowledge
  const option = (v: string, i: number) => h('option', { value: i }, short(v, 40))
  const listed = (list: Edge[], verb: string) => list.map((e) => h('li', {},
    bdi(e.from), ` ${verb} `, bdi(e.to), ' ',
    h('button', { type: 'button', 'aria-label': `Remove: ${visible(e.from)} ${verb} ${visible(e.to)}`, click: () => {
      list.splice(list.indexOf(e), 1)
      bench.changed()
    } }, 'Remove')))
  const pick = (id: string) => variables[Number((document.getElementById(id) as HTMLSelectElement).value)]!
  return h('section', { 'aria-label': 'Edges' },
    h('h3', {}, 'Edges'),
    h('form', { class: 'row', submit: (e: Event) => {
      e.preventDefault()
      const edge = { from: pick('edge-from'), to: pick('edge-to') }
      const list = (document.getElementById('edge-verb') as HTMLSelectElement).value === 'require' ? k.require : k.forbid
      for (const l of [k.require, k.forbid]) {
        const old = l.findIndex((x) => x.from === edge.from && x.to === edge.to)
        if (old >= 0) l.splice(old, 1)
      }
      if (edge.from !== edge.to) list.push(edge)
      bench.changed()
    } },
      h('select', { id: 'edge-from', 'aria-label': 'Cause' }, variables.map(option)),
      h('select', { id: 'edge-verb', 'aria-label': 'Rule' }, h('option', { value: 'require', title: terms.required }, 'drives'), h('option', { value: 'forbid', title: terms.forbidden }, 'does not drive')),
      h('select', { id: 'edge-to', 'aria-label': 'Effect' }, variables.map((v, i) => h('option', { value: i, selected: i === 1 }, short(v, 40)))),
      h('button', { type: 'submit' }, 'Add the edge')),
    h('ul', { id: 'edges' }, listed(k.require, 'drives'), listed(k.forbid, 'does not drive directly'), k.others.map((o) => h('li', { class: 'dim' }, `${visible(o)} (from the file)`))))
}

function file(bench: Bench, variables: string[]): Node {
  const text = bench.knowledge.file(variables)
  return h('section', { 'aria-label': 'Knowledge file' },
    h('h3', {}, 'Knowledge file'),
    h('p', { class: 'row' },
      h('button', { type: 'button', disabled: text === '', click: () => save(new Blob([text], { type: 'application/json' }), 'knowledge.json') }, 'Download knowledge.json'),
      h('label', { for: 'load' }, 'Load a knowledge file'),
      h('input', { type: 'file', id: 'load', accept: '.json', change: async (e: Event) => {
        const f = (e.target as HTMLInputElement).files?.[0]
        if (!f) return
        try {
          bench.knowledge.load(await f.text(), variables)
          said = `Loaded ${f.name}.`
        } catch (fault) {
          said = (fault as Error).message
        }
        bench.changed()
      } }),
      h('span', { id: 'loaded', role: 'status' }, said)))
}

// save downloads a text as a file.
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
