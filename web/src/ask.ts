import type { App } from './app'
import { bdi, h, plural, replace, short } from './dom'
import { histogram } from './histogram'
import { icon } from './icons'
import type { Question } from './program/backend'

// Asker asks one question at a time, about two columns, above the graph.
export class Asker {
  private asked: unknown
  private list: { a: string; b: string; settles: number; root?: boolean }[] = []
  private skipped = new Set<string>()

  constructor(private readonly host: HTMLElement) {}

  // show asks the next question about the present result.
  async show(app: App): Promise<void> {
    const learned = app.session?.learned
    if (!learned || app.session?.busy) return this.hide()
    if (this.asked !== learned) {
      this.asked = learned
      this.list = []
      let found: Question[] = []
      try {
        found = await learned.questions()
      } catch {
        return this.hide() // a graph without questions is no fault
      }
      if (this.asked !== learned) return
      this.list = found.flatMap((q) => (q.form === 'root' ? [{ a: q.about, b: '', settles: q.settles, root: true }] : q.others.map((o) => ({ a: o, b: q.about, settles: q.settles / q.others.length }))))
    }
    const k = app.session!.knowledge
    const known = (a: string, b: string) => (k.band.get(a) ?? 0) !== (k.band.get(b) ?? 0) || [...k.require, ...k.forbid].some((e) => (e.from === a && e.to === b) || (e.from === b && e.to === a))
    const next = this.list.find((q) => !this.skipped.has(`${q.a}\n${q.b}`) && (q.root ? !k.pin.has(q.a) : !known(q.a, q.b)))
    if (!next) return this.hide()
    this.draw(app, next)
  }

  hide(): void {
    this.host.hidden = true
  }

  private draw(app: App, q: { a: string; b: string; settles: number; root?: boolean }): void {
    const s = app.session!
    const picture = (name: string) => {
      const p = s.previews.find((x) => x.name === name)
      return p ? histogram(p) : null
    }
    const skip = () => {
      this.skipped.add(`${q.a}\n${q.b}`)
      void this.show(app)
    }
    const answer = (text: string, said: string, step: () => void, name?: string) => h('button', { type: 'button', class: 'btn', click: () => s.change(said, step) }, name !== undefined ? [picture(name), bdi(short(name, 22))] : text)
    const both = [q.a, q.b]
    const settles = Math.max(1, Math.round(q.settles))
    replace(this.host,
      h('p', {}, q.root ? [h('b', {}, 'Does anything in the table act on '), bdi(q.a, 26), '?'] : [h('b', {}, 'Which comes first?')], h('small', {}, ` settles about ${plural(settles, 'direction')}`)),
      h('div', { class: 'answers' },
        q.root
          ? [answer('Nothing does', `nothing acts on ${q.a}`, () => s.knowledge.pin.set(q.a, 'root')), h('button', { type: 'button', class: 'btn', click: skip }, 'Yes')]
          : both.map((name, i) => answer(name, `${name} comes before ${both[1 - i]}`, () => s.knowledge.state(both[1 - i]!, name, 'cannot'), name)),
        h('button', { type: 'button', class: 'btn quiet', click: skip }, 'Skip'),
        h('button', { type: 'button', class: 'icon', 'aria-label': 'No more questions', title: 'No more questions', click: () => {
          for (const x of this.list) this.skipped.add(`${x.a}\n${x.b}`)
          this.hide()
        } }, icon('close'))))
    this.host.hidden = false
  }
}
