import type { App } from './app'
import type { How, Tab } from './state'

// The fragment of the address holds the view: what is selected, how it is drawn and what the panel shows. It names columns, and no data.

export function link(app: App): string {
  const s = app.store.now
  const q = new URLSearchParams()
  for (const v of s.picked) q.append('c', app.model.page.names[v]!)
  if (s.how !== 'graph') q.set('as', s.how)
  if (s.tab !== 'explore') q.set('show', s.tab)
  if (s.raw) q.set('units', 'raw')
  for (const v of s.sensitive) q.append('sensitive', app.model.page.names[v]!)
  if (app.session?.learned && !app.session.table) q.set('result', app.session.learned.name)
  const text = q.toString()
  return text === '' ? location.href.replace(/#.*$/, '') : `${location.href.replace(/#.*$/, '')}#${text}`
}

// follow restores the view of a fragment.
export function follow(app: App): void {
  const q = new URLSearchParams(location.hash.slice(1))
  const find = (name: string) => q.getAll(name).flatMap((n) => app.model.index.get(n) ?? [])
  const how = q.get('as') as How | null
  const tab = q.get('show') as Tab | null
  if ([...q.keys()].length === 0) return
  app.store.set({ picked: find('c'), ...(how && ['graph', 'matrix', 'time', 'list'].includes(how) && { how }), ...(tab && { tab }), raw: q.get('units') === 'raw', ...(q.has('sensitive') && { sensitive: new Set(find('sensitive')) }) })
}
