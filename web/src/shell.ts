import { h } from './dom'
import { icon, logo } from './icons'

// The frame of the page: a bar, the table at the left, the canvas, and the panel at the right. On a phone both sides are sheets from below.

const tool = (id: string, mark: string, name: string) => h('button', { type: 'button', id, class: 'icon', 'aria-label': name, title: name }, icon(mark))

export function shell(search: HTMLElement) {
  const home = h('button', { type: 'button', id: 'home', class: 'home', title: 'Start again' }, logo(), h('span', {}, 'polydag'))
  const crumb = h('h1', { id: 'crumb', class: 'crumb' })
  const undo = tool('undo', 'undo', 'Undo')
  const redo = tool('redo', 'redo', 'Redo')
  const check = h('button', { type: 'button', id: 'check', class: 'btn' })
  const more = tool('more', 'menu', 'More')
  const share = h('button', { type: 'button', id: 'share', class: 'btn primary', 'aria-label': 'Share' }, icon('share'), h('span', {}, 'Share'))
  const header = h('header', {}, home, crumb, h('span', { class: 'grow' }), search, undo, redo, check, share, more)

  const left = h('aside', { id: 'left', 'aria-label': 'Table', tabindex: -1 })
  const graph = h('div', { id: 'graph', role: 'group', 'aria-label': 'Graph. Arrow keys walk the columns, Enter selects one, m opens its menu.' })
  const grid = h('canvas', { id: 'matrix', tabindex: 0, hidden: true, role: 'img', 'aria-label': 'Matrix of the edges' })
  const time = h('div', { id: 'time', hidden: true })
  const list = h('div', { id: 'list', hidden: true, tabindex: 0, role: 'region', 'aria-label': 'Edges and columns as a list' })
  const question = h('div', { id: 'question', class: 'float', hidden: true, role: 'region', 'aria-label': 'Question' })
  const toast = h('div', { id: 'toast', class: 'float', role: 'status', hidden: true })
  const progress = h('div', { id: 'progress', class: 'float', role: 'status', hidden: true })
  const tip = h('div', { id: 'tip', class: 'float', 'aria-hidden': 'true', hidden: true })
  const zones = h('div', { id: 'zones', 'aria-hidden': 'true', hidden: true }, h('div', { 'data-zone': 'first' }, 'Comes first'), h('div', { 'data-zone': 'last' }, 'Comes last'))
  const hows = (['graph', 'matrix', 'time', 'list'] as const).map((how) => h('button', { type: 'button', id: `how-${how}`, 'data-how': how, 'aria-pressed': 'false', title: { graph: 'Graph', matrix: 'Matrix', time: 'Over time', list: 'List' }[how] }, icon(how), h('span', {}, { graph: 'Graph', matrix: 'Matrix', time: 'Time', list: 'List' }[how])))
  const edges = h('button', { type: 'button', id: 'edges', 'aria-haspopup': 'menu', title: 'Which edges are drawn' })
  const legendKey = h('button', { type: 'button', id: 'legend-key', 'aria-expanded': 'false', title: 'What lines and marks mean' }, icon('help'), h('span', {}, 'Legend'))
  const legend = h('div', { id: 'legend', class: 'float', hidden: true })
  const plus = tool('zoom-in', 'plus', 'Zoom in')
  const minus = tool('zoom-out', 'minus', 'Zoom out')
  const fit = tool('fit', 'fit', 'Show the whole graph')
  const tools = h('div', { id: 'tools', class: 'float', role: 'toolbar', 'aria-label': 'View' }, plus, minus, fit, h('span', { class: 'hows', role: 'group', 'aria-label': 'Show as' }, hows), edges, legendKey)
  const handle = h('div', { id: 'handle', class: 'float', hidden: true, role: 'group', 'aria-label': 'What if' })
  const welcome = h('div', { id: 'welcome', hidden: true })
  const stage = h('main', { id: 'stage' }, graph, grid, time, list, question, zones, toast, progress, tools, legend, handle, tip, welcome)

  const title = h('div', { class: 'side-head' })
  const body = h('div', { id: 'panel' })
  const side = h('aside', { id: 'side', 'aria-label': 'Answer', tabindex: -1 }, title, body)
  const sheetLeft = h('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': 'left' }, icon('table'), 'Columns')
  const sheetSide = h('button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': 'side' }, icon('panel'), 'Answer')
  const sheets = h('nav', { id: 'sheets', 'aria-label': 'Panels' }, sheetLeft, sheetSide)
  const hideLeft = h('button', { type: 'button', class: 'edge-left icon', 'aria-label': 'Hide the table', 'aria-expanded': 'true', 'aria-controls': 'left' }, icon('back'))
  const hideSide = h('button', { type: 'button', class: 'edge-right icon', 'aria-label': 'Hide the panel', 'aria-expanded': 'true', 'aria-controls': 'side' }, icon('back'))
  stage.append(hideLeft, hideSide)
  const file = h('input', { type: 'file', id: 'file', hidden: true, tabindex: -1, 'aria-label': 'Table' })
  const said = h('div', { class: 'unseen', 'aria-live': 'polite' })
  const over = h('div', { id: 'over', 'aria-hidden': 'true', hidden: true }, h('p', {}, 'Drop the table'))
  return { header, home, crumb, undo, redo, check, more, share, left, stage, graph, grid, time, list, question, toast, progress, tip, handle, zones, hows, edges, legendKey, legend, plus, minus, fit, tools, welcome, side, title, body, sheets, sheetLeft, sheetSide, hideLeft, hideSide, file, said, over }
}

export type Shell = ReturnType<typeof shell>
