import type cytoscape from 'cytoscape'
import { dash, verdictDash, type Palette } from './palette'
import { weighed, type EdgeView, type Standing } from './view'

export const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'

// width is that of a line: 1 to 6 px in proportion to the size of the edge.
export function width(e: EdgeView, strongest: number): number {
  if (!weighed(e)) return 2
  return 1 + 5 * Math.min(e.size / strongest, 1)
}

// arrow is filled for a positive weight and hollow for a negative one.
export function stylesheet(p: Palette): cytoscape.StylesheetJson {
  const standings = Object.entries(p.standing) as [Exclude<Standing, 'plain'>, string][]
  return [
    {
      selector: 'node',
      style: {
        shape: 'round-rectangle',
        width: 'data(w)',
        height: 'data(h)',
        'background-color': p.node,
        'border-color': p.border,
        'border-width': 1,
        label: 'data(text)',
        color: p.ink,
        'font-family': font,
        'font-size': 'data(size)' as unknown as number,
        'text-valign': 'center',
        'text-halign': 'center',
        'text-wrap': 'ellipsis',
        'text-max-width': ((n: cytoscape.NodeSingular) => `${((n.data('w') as number) - 10) * ((n.data('size') as number) / 13)}px`) as unknown as string,
        'min-zoomed-font-size': 5,
        'overlay-opacity': 0,
      },
    },
    // Names larger than their boxes, where the whole is small, stand on a ground of their own.
    { selector: 'node[size > 13]', style: { 'text-background-color': p.node, 'text-background-opacity': 0.92, 'text-background-padding': '1px', 'text-background-shape': 'roundrectangle' } },
    { selector: 'node.picked[size > 13]', style: { 'text-background-color': p.pick } },
    // Groups of variables: a closed box with its name and number, and the frame of an open one behind its variables.
    { selector: 'node.group', style: { 'background-color': p.ground, 'border-color': p.ink, 'border-width': 2, 'font-weight': 600, 'text-wrap': 'wrap', 'text-max-width': ((n: cytoscape.NodeSingular) => `${n.data('w') as number}px`) as unknown as string, 'line-height': 1.25, 'text-background-opacity': 0 } },
    { selector: 'node.group.open', style: { 'background-color': p.node, 'border-width': 1.5, 'border-color': p.dim, 'text-valign': 'top', 'text-margin-y': -3, 'text-wrap': 'ellipsis', 'text-background-color': p.ground, 'text-background-opacity': 1, 'z-compound-depth': 'bottom' } },
    { selector: 'node.group.at', style: { 'border-color': p.pick, 'border-width': 5 } },
    { selector: 'node:active', style: { 'overlay-opacity': 0.08 } },
    { selector: 'node.sensitive', style: { shape: 'cut-rectangle', 'border-style': 'double', 'border-width': 4, 'border-color': p.ink } },
    { selector: 'node.picked', style: { 'background-color': p.pick, color: p.ground, 'border-color': p.pick, 'border-width': 3 } },
    { selector: 'node.picked.sensitive', style: { 'border-color': p.ink, 'border-width': 4 } },
    { selector: 'node.faded', style: { opacity: 0.25 } },
    {
      selector: 'edge',
      style: {
        'curve-style': 'straight',
        width: 'data(width)',
        opacity: 'data(opacity)' as unknown as number,
        'target-arrow-shape': 'triangle',
        'arrow-scale': 0.9,
        'font-family': font,
        'font-size': 'data(font)' as unknown as number,
        'min-zoomed-font-size': 7,
        color: p.ink,
        'text-background-color': p.ground,
        'text-background-opacity': 0.9,
        'text-background-padding': '2px',
        'overlay-opacity': 0,
      },
    },
    { selector: 'edge[label]', style: { label: 'data(label)' } },
    { selector: 'edge[mx]', style: { 'text-margin-x': 'data(mx)' as unknown as number, 'text-margin-y': 'data(my)' as unknown as number, 'text-background-opacity': 0 } },
    {
      selector: 'edge.routed',
      style: {
        'curve-style': 'segments',
        'edge-distances': 'endpoints' as 'intersection', // the types lag behind the library
        'source-endpoint': ((e: cytoscape.EdgeSingular) => px(e.data('start'))) as unknown as string,
        'target-endpoint': ((e: cytoscape.EdgeSingular) => px(e.data('end'))) as unknown as string,
        'segment-weights': ((e: cytoscape.EdgeSingular) => e.data('weights')) as unknown as string,
        'segment-distances': ((e: cytoscape.EdgeSingular) => e.data('distances')) as unknown as string,
      },
    },
    { selector: 'edge.loop', style: { 'curve-style': 'bezier', 'loop-direction': '90deg', 'loop-sweep': '-40deg', 'control-point-step-size': 45, 'text-margin-x': ((e: cytoscape.EdgeSingular) => 8 + 3.2 * String(e.data('label') ?? '').length) as unknown as number } },
    { selector: 'edge.straight', style: { 'curve-style': 'unbundled-bezier', 'edge-distances': 'intersection', 'control-point-distances': 'data(bow)' as unknown as string, 'control-point-weights': '0.5' as unknown as string, 'source-endpoint': 'outside-to-node', 'target-endpoint': 'outside-to-node', 'text-margin-x': 0, 'text-margin-y': 0, 'text-background-opacity': 0.9 } },
    { selector: 'edge.straight[dx]', style: { 'text-margin-x': 'data(dx)' as unknown as number, 'text-margin-y': 'data(dy)' as unknown as number } },
    { selector: 'edge.plus', style: { 'line-color': p.plus, 'target-arrow-color': p.plus } },
    { selector: 'edge.minus', style: { 'line-color': p.minus, 'target-arrow-color': p.minus, 'target-arrow-fill': 'hollow' } },
    { selector: 'edge.level', style: { 'line-color': p.level, 'target-arrow-color': p.level } },
    { selector: 'edge.bare', style: { 'line-color': p.dim, 'source-arrow-color': p.dim, 'target-arrow-color': p.dim } },
    ...Object.entries(verdictDash).map(
      ([verdict, pattern]) => ({ selector: `edge.plain.${verdict}`, style: { 'line-style': 'dashed', 'line-dash-pattern': pattern } }) as cytoscape.StylesheetJsonBlock,
    ),
    ...standings.map(([standing, colour]) => {
      const pattern = dash[standing]
      return {
        selector: `edge.${standing}`,
        style: {
          'line-color': colour,
          'source-arrow-color': colour,
          'target-arrow-color': colour,
          'target-arrow-fill': 'filled',
          ...(pattern && { 'line-style': 'dashed', 'line-dash-pattern': pattern }),
        },
      } as cytoscape.StylesheetJsonBlock
    }),
    // What stands at the ends: the class says it, for edges of any standing.
    { selector: 'edge.from-head', style: { 'source-arrow-shape': 'triangle' } },
    { selector: 'edge.from-open', style: { 'source-arrow-shape': 'circle', 'source-arrow-fill': 'hollow' } },
    { selector: 'edge.to-tail', style: { 'target-arrow-shape': 'none' } },
    { selector: 'edge.to-open', style: { 'target-arrow-shape': 'circle', 'target-arrow-fill': 'hollow' } },
    // Lines between closed groups pass behind open ones.
    { selector: 'edge.bundle', style: { 'line-color': p.border, 'source-arrow-color': p.border, 'target-arrow-color': p.border, 'arrow-scale': 0.8 } },
    { selector: 'edge.bundle.far', style: { 'z-compound-depth': 'bottom' } },
    { selector: 'edge.quiet', style: { opacity: 0.15 } },
    { selector: 'edge.mute', style: { 'text-opacity': 0, 'text-background-opacity': 0 } },
    { selector: 'edge.between', style: { opacity: 0.3, label: '' } },
    { selector: 'edge.faded', style: { opacity: 0.12, label: '' } },
    { selector: 'edge.lit', style: { 'underlay-color': p.lit, 'underlay-opacity': 0.55, 'underlay-padding': 4, 'z-index': 5 } },
    { selector: 'edge.lit.faded', style: { 'underlay-opacity': 0 } },
    { selector: '.hidden, .away, .closed', style: { display: 'none' } },
  ]
}

function px([x, y]: [number, number]): string {
  return `${x.toFixed(1)}px ${y.toFixed(1)}px`
}
