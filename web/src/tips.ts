import type { Desk } from './parts'
import { bdi, h, replace, visible } from './dom'
import { aboutLine } from './legend'
import { failedChecks } from './panel/column'
import { keyOf } from './scene'

// tips says what stands under the pointer.
export function tips(d: Desk) {
  function tipFor(what: { node?: string; line?: string } | undefined, at: { x: number; y: number }): void {
    if (!d.app || !what) return void (d.ui.tip.hidden = true)
    if (what.line !== undefined) {
      const e = d.app.edges.find((x) => keyOf(x) === what.line)
      if (what.line.startsWith('b')) return showTip([h('span', {}, 'Edges between two groups. Click to list them.')], at)
      return e ? showTip(d.own.on ? [h('b', {}, bdi(d.app.model.page.names[e.from]!, 24), ' → ', bdi(d.app.model.page.names[e.to]!, 24)), h('span', {}, d.own.classes().get(`${d.app.model.page.names[e.from]}>${d.app.model.page.names[e.to]}`)?.includes('refuted') ? 'the table does not support this edge' : d.own.tested ? '' : 'not tested yet')] : aboutLine(e, d.app.model.page.names, d.app.model.page.marks), at) : undefined
    }
    const key = what.node!
    const name = key.startsWith('g') ? d.app.titles[Number(key.slice(1))]! : d.nameOf(key)
    const list = key.startsWith('g') || d.own.on ? [] : failedChecks(d.app, name)
    if (name.length < 24 && list.length === 0 && !key.startsWith('g')) return void (d.ui.tip.hidden = true)
    showTip([h('b', {}, visible(name)), ...list.slice(0, 2).map((t) => h('span', {}, t)), ...(key.startsWith('g') ? [h('span', {}, 'A group of columns that are linked more with each other than with others. Click to open it.')] : [])], at)
  }
  function showTip(content: Node[], at: { x: number; y: number }): void {
    replace(d.ui.tip, ...content)
    d.ui.tip.hidden = false
    const [w, hh] = [d.ui.stage.clientWidth, d.ui.stage.clientHeight]
    d.ui.tip.style.left = `${Math.max(8, Math.min(at.x + 16, w - d.ui.tip.offsetWidth - 8))}px`
    d.ui.tip.style.top = `${at.y + 20 + d.ui.tip.offsetHeight > hh - 8 ? Math.max(8, at.y - d.ui.tip.offsetHeight - 14) : at.y + 20}px`
  }
  return { tipFor, showTip }
}
