import type { Program, Table } from '../data'
import { copy } from '../copy'
import { fact, bdi, h, num } from '../dom'

// provenance says which table a result is about, so that a reader can tell whether it is the one at hand.
export function provenance(t: Table): Node[] {
  const facts = [
    ...(t.name ? fact('File', bdi(t.name, 60)) : []),
    ...(t.format ? fact('Format', t.format) : []),
    ...(t.bytes ? fact('Size', size(t.bytes)) : []),
    ...(t.sha256 ? fact('SHA-256 of the file', hash(t.sha256, 'file'), 'Fingerprint of the file: another file has another one.') : []),
    ...(t.moments_sha256 ? fact('SHA-256 of the values', hash(t.moments_sha256, 'values'), 'Fingerprint of the means and covariances that were used: the same values in another format have the same one.') : []),
  ]
  if (facts.length === 0) return [h('p', { class: 'dim' }, 'The result does not say which file it was learned from.')]
  return [h('dl', { class: 'facts' }, facts)]
}

// program says what made the result.
export function program(p: Program): Node[] {
  if (!p.version) return fact('Program', 'not recorded')
  return [
    ...fact('Program', `polydag ${p.version}, ${p.go}`),
    ...(p.commit ? fact('Commit', hash(p.commit, 'commit')) : []),
  ]
}

// hash shows the first digits; the rest is under the pointer, and the button copies all of it.
function hash(text: string, what: string): Node {
  const code = h('code', { title: text }, text.length > 16 ? `${text.slice(0, 12)}…` : text)
  const said = h('span', { class: 'unseen', role: 'status' })
  const all = async () => {
    if (await copy(text, code)) {
      said.textContent = 'copied'
      return
    }
    code.textContent = text
    getSelection()?.selectAllChildren(code)
  }
  return h('span', {}, code, ' ', h('button', { class: 'link', type: 'button', 'aria-label': `Copy the SHA of the ${what}`, click: () => void all() }, 'copy'), said)
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let k = 0
  let v = bytes
  while (v >= 1000 && k < units.length - 1) {
    v /= 1000
    k++
  }
  return `${num(v, 3)} ${units[k]}`
}
