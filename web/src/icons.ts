import { svg } from './dom'

// Icons are drawn here: lines of one width on a grid of 18.
const paths: Record<string, string> = {
  plus: 'M9 4v10M4 9h10', minus: 'M4 9h10', fit: 'M3 7V3h4M11 3h4v4M15 11v4h-4M7 15H3v-4', undo: 'M7 4 3 8l4 4M3 8h7a4 4 0 0 1 0 8H8', redo: 'M11 4l4 4-4 4M15 8H8a4 4 0 0 0 0 8h2',
  close: 'M4.5 4.5l9 9M13.5 4.5l-9 9', back: 'M11 4 6 9l5 5', swap: 'M4 6h10l-3-3M14 12H4l3 3', up: 'M9 15V4M5 8l4-4 4 4', down: 'M9 3v11M5 10l4 4 4-4', check: 'M3.5 9.5 7.5 13.5 14.5 5',
  share: 'M9 11V2M6 5l3-3 3 3M4 9v6h10V9', menu: 'M3 5h12M3 9h12M3 13h12', table: 'M3 4h12v10H3zM3 8h12M8 4v10', panel: 'M3 4h12v10H3zM11 4v10', theme: 'M9 3a6 6 0 1 0 6 6 4.5 4.5 0 0 1-6-6z', search: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3zM12 12l4 4',
  graph: 'M5 5l8 3M5 5l3 8M13 8l-5 5', matrix: 'M3 3h5v5H3zM10 3h5v5h-5zM3 10h5v5H3zM10 10h5v5h-5z', list: 'M6 5h9M6 9h9M6 13h9M3 5h.1M3 9h.1M3 13h.1', time: 'M3 9h12M12 6l3 3-3 3M5 5v8', pen: 'M4 14l1-4 7-7 3 3-7 7z', file: 'M5 2h6l3 3v11H5zM11 2v3h3', warn: 'M9 3l7 12H2zM9 8v3M9 13h.1', more: 'M4 9h.1M9 9h.1M14 9h.1', help: 'M6.5 7a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.6M9 14h.1',
}

export function icon(name: string): SVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true' }, svg('path', { d: paths[name] ?? '' }))
}

// logo is three columns and their edges.
export function logo(): SVGElement {
  return svg('svg', { class: 'logo', viewBox: '0 0 22 22', width: 22, height: 22, 'aria-hidden': 'true' },
    svg('path', { d: 'M5 5 17 9M17 9 8 18M5 5 8 18' }), svg('circle', { cx: 5, cy: 5, r: 3.2 }), svg('circle', { cx: 17, cy: 9, r: 3.2 }), svg('circle', { cx: 8, cy: 18, r: 3.2 }))
}
