import { graphOf, resultOf } from './app'
import { Asker } from './ask'
import { Canvas } from './canvas'
import type { Page } from './data'
import { h, plural, replace, short } from './dom'
import { buttons } from './buttons'
import { folder } from './folder'
import { framed } from './frame'
import { opening as openingOf } from './opening'
import { ownGraph } from './owngraph'
import type { Boot, Desk } from './parts'
import { sheets } from './sheets'
import { telling } from './telling'
import { tips } from './tips'
import { searchBox } from './find'
import { Handle } from './handle'
import { aboutLine } from './legend'
import { left } from './left'
import { Matrix } from './matrix'
import { Own } from './own'
import { palette } from './palette'
import { show as panelFor } from './panelfor'
import { failedChecks } from './panel/column'
import { query } from './paths'
import { changes, summary } from './program/changes'
import { Session } from './program/session'
import { progressWords } from './program/pace'
import { plain } from './program/words'
import { problem } from './problem'
import { cluster, drawn, emphasis, manyColumns, nodeKey, scene } from './scene'
import { shell } from './shell'
import { begin, Store, type How, type State } from './state'
import { table } from './panel/table'
import { theme } from './theme'
import { Timeline } from './timeline'
import { follow } from './route'
import { judge, Model } from './view'

// boot builds the page and joins its parts: what the reader does changes the store or the session, and what is on screen follows.
export function boot(root: HTMLElement, how: Boot): void {
  const store = new Store({ ...begin })
  const search = searchBox(() => d.app?.model.page.names ?? [], (v, drives) => {
    store.set({ picked: [v], path: undefined, tab: drives ? 'drivers' : 'explore' })
    d.openSheet('side')
  })
  const ui = shell(search)
  replace(root, ui.header, ui.left, ui.stage, ui.side, ui.sheets, ui.file, ui.said, ui.over)

  const canvas = new Canvas(ui.graph, {
    node: (key, e) => {
      if (key.startsWith('g')) return store.toggle(Number(key.slice(1)))
      const v = Number(key.slice(1))
      if (d.linking) return d.linkTo(v)
      if ((e.target as Element).classList.contains('warn')) { // the mark of a failed check opens its plot
        store.only(v)
        d.openSheet('side', true)
        return void ui.body.querySelector('.doubt')?.scrollIntoView({ block: 'start' })
      }
      store.pick(v, e instanceof MouseEvent && (e.shiftKey || e.ctrlKey || e.metaKey))
      if (store.now.picked.length > 0) d.openSheet('side', true)
    },
    line: (key) => {
      if (key.startsWith('b')) return store.set({ picked: [], bundle: key, tab: 'explore' })
      store.set({ picked: ends(key), path: undefined, bundle: undefined, tab: store.now.tab === 'own' ? 'own' : 'explore' })
      d.openSheet('side', true)
    },
    ground: () => {
      d.linking = undefined
      say('')
      store.clear()
      d.closeSheets()
    },
    menu: (what, at) => d.contextMenu(what, at),
    over: (what, at) => d.tipFor(what, at),
    drop: (key, at) => d.drop(key, at),
    dragging: (key, at) => d.dragging(key, at),
    drawn: (from, to) => d.drawnEdge(nameOf(from), nameOf(to)),
    moved: () => handle.move(),
    rename: (band) => d.renameBand(band),
  })
  const handle = new Handle(ui.handle, canvas)
  const asker = new Asker(ui.question)
  const own = new Own(() => own.on && d.showOwn())
  const matrix = new Matrix(ui.grid, [], palette(theme()), {
    edge: (e) => store.set({ picked: [e.from, e.to].filter((v, i, l) => l.indexOf(v) === i), path: undefined, tab: 'explore' }),
    variable: (v) => store.only(v), nothing: () => store.clear(),
    hover: (what, x, y) => (what && 'standing' in what && d.app ? d.showTip(aboutLine(what, d.app.model.page.names, d.app.model.page.marks), { x, y }) : (ui.tip.hidden = true)),
  })
  const timeline = new Timeline(ui.time, [], palette(theme()), { edge: (e) => store.set({ picked: [e.from, e.to], path: undefined, tab: 'explore' }), variable: (v) => store.pick(v) })

  const d = { how, ui, store, canvas, matrix, timeline, own, asker, app: undefined, session: undefined, answer: undefined, snapshot: undefined, chosen: [], linking: undefined, listing: false, opening: undefined, load, redraw, panel, leftPanel, toast } as Partial<Desk> as Desk
  const nameOf = (d.nameOf = (key) => d.app!.model.page.names[Number(key.slice(1))]!)
  const ends = (d.ends = (key) => [...new Set(key.replace('@', '').split('>').map(Number))])
  const say = (d.say = (text) => (ui.said.textContent = text))
  Object.assign(d, framed(d, search), openingOf(d), telling(d), ownGraph(d), folder(d), tips(d), sheets(d))

  // load shows a page: a result, or several.
  function load(page: Page, fresh: boolean): void {
    const before = d.app
    const names = store.now.picked.map((v) => before?.model.page.names[v])
    const marked = [...store.now.sensitive].map((v) => before?.model.page.names[v])
    if (d.session?.truth && page.results.length === 1 && !own.on) page = { ...page, truth: { edges: d.session.truth.length, verdicts: [judge(page.results[0]!.result, d.session.truth, new Map(page.names.map((n, i) => [n, i])))] } }
    const model = new Model(page)
    d.app = { model, store, edges: [], clusters: [], titles: [], session: d.session }
    const index = (list: (string | undefined)[]) => list.flatMap((n) => (n === undefined ? [] : model.index.get(n) ?? []))
    const views = model.views()
    const view = page.truth && d.session ? views.find((v) => v.kind === 'result')! : views[0]!
    matrix.names = timeline.names = page.names
    d.app.edges = model.edges(view)
    cluster(d.app)
    store.set({
      view, picked: fresh ? [] : index(names), sensitive: new Set(fresh && page.sensitive.length ? index(page.sensitive) : index(marked)), path: undefined, bundle: undefined, every: false, lag: undefined,
      grouped: page.names.length > manyColumns, opened: new Set(), ...(fresh && { tab: page.methods ? 'methods' : page.truth && !d.session ? 'compare' : page.comparison ? 'compare' : own.on ? 'own' : 'explore', how: 'graph' as How }),
    })
    document.title = `${model.title().map((t) => short(t, 40)).join(' and ')} · polydag`
    if (fresh && !d.session) follow(d.app)
    redraw(fresh)
    document.documentElement.dataset.graph = ''
  }

  function ask(): void {
    const s = store.now
    d.answer = d.app && s.picked.length === 2 && graphOf(d.app).acyclic ? query(graphOf(d.app), s.picked[0]!, s.picked[1]!) : undefined
  }

  // redraw draws the view anew.
  function redraw(refit: boolean): void {
    if (!d.app) return
    ask()
    const s = store.now
    const k = d.session?.knowledge
    const bands = own.on ? [] : k?.bands() ?? []
    const order = new Map(bands.map(({ band }, i) => [band, i]))
    const warn = new Map<string, string>()
    for (const n of d.app.model.page.names) {
      const list = own.on ? [] : failedChecks(d.app, n)
      if (list.length > 0) warn.set(n, `${plural(list.length, 'check')} failed`)
    }
    d.frame()
    canvas.insets = insets()
    if (s.how === 'graph') {
      canvas.show(scene(d.app, { warn, ...(bands.length > 0 && { band: (n: string) => order.get(k!.band.get(n) ?? 0), bands: bands.map((b) => b.title) }), ...(own.on && { own: own.classes() }) }), refit)
      canvas.emphasise(emphasis(d.app, d.answer))
      flow()
    }
    const { order: sorted } = resultOf(d.app).certificate
    if (s.how === 'matrix') {
      matrix.show(d.app.edges, sorted, s.rows, s.lag)
      matrix.sift(s, s.picked)
    }
    if (s.how === 'time') {
      timeline.show(d.app.edges, sorted)
      timeline.sift(s, s.picked)
    }
    if (s.how === 'list') replace(ui.list, ...table(d.app))
    panel()
    leftPanel()
  }

  // flow shows along which lines a change of the selected column runs.
  const flow = () => canvas.flow(store.now.tab === 'whatif' && store.now.picked.length === 1 ? emphasis(d.app!, d.answer).lines : undefined)

  const insets = () => {
    // The room of a question is there before the question, so that the graph does not move when it comes.
    const top = ui.question.hidden ? (d.session?.learned && !own.on ? (innerWidth < 700 ? 105 : 68) : 0) : ui.question.offsetTop + ui.question.offsetHeight
    return innerWidth < 700 ? { top: top + 14, right: 12, bottom: 122, left: 12 } : { top: top + 26, right: 36, bottom: 74, left: 36 }
  }

  function panel(): void {
    if (d.listing || (!d.app && store.now.tab === 'results')) return
    if (!d.app) return replace(ui.body, waiting())
    panelFor({ app: d.app, canvas, answer: d.answer, own, title: ui.title, body: ui.body, snapshot: d.snapshot, chosen: d.chosen, session: d.session, notes: (notes) => canvas.note(new Map([...notes].map(([v, t]) => [nodeKey(v), t]))),
      act: { load: () => d.pickFile(own.on ? 'graph' : 'knowledge'), estimate: () => d.estimate(), leave: () => d.leaveOwn(), open: (n) => void d.openResult(n), choose: d.chooseResult, compare: () => void d.compareResults(), redraw: () => redraw(false) } })
    const { tab, picked, how: shown } = store.now
    handle.hold(tab === 'whatif' && picked.length === 1 && shown === 'graph' ? nodeKey(picked[0]!) : undefined, ui.body)
  }

  // waiting is what the panel says while there is no graph.
  function waiting(): Node {
    if (!d.session?.table) return h('p')
    if (d.session.fault) return problem(d.session, d.session.fault)
    return h('p', { class: 'say' }, 'The table is being read; the graph appears as soon as it is learned.')
  }

  function leftPanel(): void {
    left(own.on || !d.app ? (own.on ? d.app : undefined) : d.app, d.session, ui.left)
  }

  // Changes of what the reader chose.
  store.listen((s, changed) => {
    if (!d.app) return
    ui.tip.hidden = true
    const has = (...keys: (keyof State)[]) => keys.some((k) => changed.has(k))
    if (has('view')) {
      d.app.edges = d.app.model.edges(s.view)
      cluster(d.app)
    }
    if (has('tab') && s.tab !== 'whatif') canvas.note(new Map())
    if (has('picked') && s.grouped) {
      const need = d.app.clusters.flatMap((c, k) => (!s.opened.has(k) && c.members.some((v) => s.picked.includes(v)) ? [k] : []))
      if (need.length > 0) return store.set({ opened: new Set([...s.opened, ...need]) })
    }
    const limited = d.app.edges.length > drawn(d.app).length || s.every
    if (has('view', 'how', 'opened', 'grouped', 'every', 'least', 'which', 'weights', 'raw', 'sensitive', 'rows', 'lag') || (has('picked') && limited)) redraw(has('view', 'how', 'opened', 'grouped', 'every'))
    else {
      ask()
      canvas.emphasise(emphasis(d.app, d.answer))
      flow()
      if (has('picked')) {
        matrix.sift(s, s.picked)
        timeline.sift(s, s.picked)
      }
      d.frame()
      panel()
      if (has('picked', 'tab')) leftPanel()
    }
    if (has('picked')) {
      ui.side.scrollTop = 0
      if (s.how === 'graph' && s.picked.length > 0) canvas.reveal(s.picked.map(nodeKey))
      say(s.picked.length === 0 ? '' : `${s.picked.map((v) => short(d.app!.model.page.names[v]!)).join(' and ')} selected`)
    }
    if (has('tab') && s.tab !== 'explore') d.openSheet('side', true)
  })

  // The program.
  const changed = () => {
    const s = d.session
    if (!s) return
    const busy = s.busy
    ui.progress.hidden = !busy
    if (busy && s.progress) replace(ui.progress, h('span', { class: 'spin', 'aria-hidden': 'true' }), h('span', {}, s.stopped ? 'Stopping; the best graph so far is kept…' : progressWords(s.progress, s.check !== undefined)), h('button', { type: 'button', class: 'btn quiet', click: () => s.stop() }, s.stopped ? 'Stop now' : 'Stop'))
    if (!busy && d.app && !own.on) void asker.show(d.app).then(() => canvas.inset(insets()))
    else asker.hide()
    if (!busy && s.fault && d.app) toast(h('div', {}, problem(s, s.fault)), 0)
    d.frame()
    leftPanel()
    if (!d.app) panel()
    else if (!busy && ['said', 'settings', 'share'].includes(store.now.tab)) panel()
    document.documentElement.dataset.busy = String(busy)
  }

  function showPage(page: Page, fresh: boolean): void {
    if (own.on) own.on = false
    const before = d.session?.earlier
    load(page, fresh)
    ui.toast.hidden = true
    if (before && !fresh) {
      const c = changes(before.results[0]!.result, page.results[0]!.result)
      const n = c.gone.length + c.fresh.length + c.turned.length
      const text = `Drawn again: ${summary(c)}.`
      toast(h('div', { class: 'row' }, h('span', {}, text), n > 0 ? h('button', { type: 'button', class: 'link', click: () => compareWith(before, page) }, 'Compare') : null), 6000)
    }
  }

  // compareWith shows what differs between the result before and the present one.
  function compareWith(before: Page, now: Page): void {
    const names = [...new Set([...before.names, ...now.names])]
    load({ ...now, names, results: [{ ...before.results[0]!, label: 'before' }, { ...now.results[0]!, label: 'now' }], comparison: undefined as never }, true)
    delete (d.app!.model.page as Partial<Page>).comparison
    store.set({ view: { kind: 'compare', result: 0, other: 1 }, tab: 'compare' })
  }

  function toast(content: Node, ms: number): void {
    replace(ui.toast, content, h('button', { type: 'button', class: 'icon', 'aria-label': 'Close', click: () => (ui.toast.hidden = true) }, '×'))
    ui.toast.hidden = false
    clearTimeout(timer)
    if (ms > 0) timer = window.setTimeout(() => (ui.toast.hidden = true), ms)
  }
  let timer = 0

  buttons(d)
  addEventListener('resize', () => canvas.inset(insets())) // what stands over the edges is elsewhere on a phone

  // The beginning: a report is there, a program has to come.
  if (how.page) load(how.page, true)
  else {
    d.frame()
    const backend = how.server ? how.server((s) => {
      d.snapshot = s
      if (!ui.welcome.hidden) d.frame()
      d.panelResults()
    }, (yes) => (document.documentElement.dataset.connected = String(yes))) : how.program!()
    d.opening = backend.methods().then((methods) => {
      d.session = new Session(backend, methods, { changed, page: showPage, more: () => d.app && panel() })
      d.session.link = d.beginLink
      d.frame()
      document.documentElement.dataset.ready = ''
      const result = new URLSearchParams(location.hash.slice(1)).get('result')
      if (result && how.server) void d.openResult(`${result}.json`).then(() => d.app && follow(d.app))
    }, (e: Error) => toast(h('div', { class: 'caveat bad', role: 'alert' }, plain(e.message)), 0))
    return
  }
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark('ready')
    document.documentElement.dataset.ready = ''
  }))
}

