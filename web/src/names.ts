import type cytoscape from 'cytoscape'

const least = 10.5 // px of a name on the screen
const size = 13 // of names in the drawing
const most = 4 // times larger than the drawing has them

// fitNames keeps names readable when the whole is small: they grow against the zoom, and of those that would meet, the more important one
// stays. The others come back with more room, and stand under the pointer until then.
export function fitNames(cy: cytoscape.Core, weight: (v: number) => number): void {
  const zoom = cy.zoom()
  const grow = Math.min(Math.max(1, least / (size * zoom)), most)
  const nodes = cy.nodes().filter((n) => !n.hasClass('hidden') && !n.hasClass('away')).toArray() as cytoscape.NodeSingular[]
  const rank = (n: cytoscape.NodeSingular) => (n.hasClass('picked') ? 1e9 : n.hasClass('faded') ? 0 : weight(n.data('v') as number))
  const taken: [x1: number, y1: number, x2: number, y2: number][] = []
  cy.batch(() => {
    for (const n of nodes.sort((a, b) => rank(b) - rank(a))) {
      const { x, y } = n.position()
      const w = ((n.data('w') as number) - 12) * grow
      const box: [number, number, number, number] = [x - w / 2, y - 9 * grow, x + w / 2, y + 9 * grow]
      const free = grow === 1 || !taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])
      if (free) taken.push(box)
      const text = free ? (n.data('name') as string) : ''
      if (n.data('text') !== text || n.data('size') !== size * grow) n.data({ text, size: size * grow })
    }
  })
}
