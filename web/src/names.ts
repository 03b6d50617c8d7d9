import type cytoscape from 'cytoscape'

const sizes = [10.5, 9.5, 8.5] // px of a name on the screen, the first that has room
const smallest = 6.5 // px that a name in its own box may have
const size = 13 // of names in the drawing
const widest = 190 // px of a box; longer names are cut
const most = 4 // times larger than the drawing has them

type Box = [x1: number, y1: number, x2: number, y2: number]

// fitNames keeps names readable when the whole is small: they grow against the zoom, and of those that would meet, the more important one
// stays. The others come back with more room, and stand under the pointer until then.
export function fitNames(cy: cytoscape.Core, weight: (v: number) => number): void {
  const zoom = cy.zoom()
  const grows = sizes.map((px) => Math.min(Math.max(1, px / (size * zoom)), most))
  if (size * zoom >= smallest && grows.at(-1)! > 1) grows.push(1)
  const seen = cy.nodes().filter((n) => shows(n as unknown as cytoscape.NodeSingular))
  const nodes = seen.filter((n) => !n.hasClass('group')).toArray() as cytoscape.NodeSingular[]
  const rank = (n: cytoscape.NodeSingular) => (n.hasClass('picked') ? 1e9 : n.hasClass('faded') ? 0 : weight(n.data('v') as number))
  const taken: Box[] = []
  cy.batch(() => {
    for (const n of seen.filter('.group').toArray() as cytoscape.NodeSingular[]) taken.push(titled(n, zoom))
    for (const n of nodes.sort((a, b) => rank(b) - rank(a))) {
      const { x, y } = n.position()
      const around = (grow: number): Box => {
        const box = n.data('w') as number
        const w = (box >= widest ? box - 6 : (box - 18) * 0.95 + 4) * grow
        const apart = 1.5 / zoom
        return [x - w / 2 - apart, y - 8 * grow - apart, x + w / 2 + apart, y + 8 * grow + apart]
      }
      const free = (b: Box) => !taken.some((t) => meets(b, t))
      const grow = grows.find((k) => free(around(k)))
      if (grow !== undefined) taken.push(around(grow))
      const text = grow === undefined ? '' : (n.data('name') as string)
      const now = size * (grow ?? 1)
      if (n.data('text') !== text || n.data('size') !== now) n.data({ text, size: now })
    }
  })
}

// shows goes by the classes: the library remembers whether an element is visible, also while its style is being changed.
const shows = (e: cytoscape.NodeSingular | cytoscape.EdgeSingular) => !e.hasClass('hidden') && !e.hasClass('away') && !e.hasClass('closed')

const meets = (a: Box, b: Box) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]

// fitWords moves words on straight lines to a side where they would meet a box or the words on a stronger line, and hides them where no
// place is free. They come back with more room.
export function fitWords(cy: cytoscape.Core): void {
  const lines = (cy.edges('[label]').toArray() as cytoscape.EdgeSingular[]).filter((e) => e.data('label') !== '' && !e.hasClass('faded') && !e.hasClass('loop') && [e, e.source(), e.target()].every(shows))
  if (lines.length === 0) return
  const taken = (cy.nodes().toArray() as cytoscape.NodeSingular[]).filter((n) => shows(n) && !n.hasClass('open')).map((n): Box => {
    const { x, y } = n.position()
    const [w, h] = [n.data('w') as number, n.data('h') as number]
    return [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
  })
  cy.batch(() => {
    for (const e of lines.sort((a, b) => (b.data('size') as number) - (a.data('size') as number))) {
      const m = e.midpoint() as cytoscape.Position | undefined
      if (!m) continue
      const straight = e.hasClass('straight')
      const [x, y] = [m.x + (straight ? 0 : Number(e.data('mx') ?? 0)), m.y + (straight ? 0 : Number(e.data('my') ?? 0))]
      const font = e.data('font') as number
      const [w, h] = [0.27 * font * (e.data('label') as string).length, 0.55 * font]
      const around = ([dx, dy]: [number, number]): Box => [x + dx - w, y + dy - h, x + dx + w, y + dy + h]
      const sides = [0, 3 * h, -3 * h].flatMap((dy): [number, number][] => [[w + 4, dy], [-w - 4, dy]])
      const aside = ([[0, 0], ...(straight ? sides : [])] as [number, number][]).find((d) => !taken.some((t) => meets(around(d), t)))
      e.toggleClass('mute', aside === undefined)
      if (aside) taken.push(around(aside))
      const [dx, dy] = aside ?? [0, 0]
      if (straight && ((e.data('dx') ?? 0) !== dx || (e.data('dy') ?? 0) !== dy)) e.data({ dx, dy })
    }
  })
}

// titled makes the title of a group readable and returns the room that it takes: a closed box as a whole, or the line over an open one.
function titled(n: cytoscape.NodeSingular, zoom: number): Box {
  const open = n.hasClass('open')
  const long = Math.max(...(n.data('text') as string).split('\n').map((line) => line.length))
  const now = size * Math.max(1, Math.min(11 / (size * zoom), (n.data('w') as number) / (8 * long), open ? 3 : 1.2))
  if (n.data('size') !== now) n.data('size', now)
  const { x, y } = n.position()
  const [w, h] = [(n.data('w') as number) / 2, (n.data('h') as number) / 2]
  return open ? [x - w, y - h - 1.6 * now, x + w, y - h] : [x - w, y - h, x + w, y + h]
}
