import './style.css'
import './graph.css'
import './panels.css'
import './panel/pictures.css'
import { boot } from './desk'
import { DataError, decode } from './data'
import { h, replace } from './dom'
import { Server } from './program/http'
import { Tab } from './program/tab'
import { startTheme } from './theme'
import { unpack } from './unpack'

// What stands in the data block says what the page is: a report holds its result, polydag serve writes "polydag:serve", and a page with the
// program inside writes "polydag:tab".

const root = document.getElementById('app')!
const text = document.getElementById('data')!.textContent!.trim()
startTheme()
try {
  if (text === '"polydag:serve"') boot(root, { server: (show, connected) => new Server(show, connected) })
  else if (text === '"polydag:tab"') {
    const program = document.getElementById('wasm')!
    const packed = program.textContent!.trim()
    program.remove()
    boot(root, { local: true, program: () => new Tab(document.getElementById('worker')!.textContent!, packed) })
  } else boot(root, { page: decode(await unpack(text)) })
} catch (e) {
  if (!(e instanceof DataError)) throw e
  replace(root, h('main', { class: 'broken' }, h('p', { role: 'alert', class: 'caveat bad' }, e.message)))
}
