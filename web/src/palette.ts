import type { Verdict } from './data'
import type { Standing } from './view'

// Colours that readers with any common form of colour blindness can distinguish (after Okabe and Ito 2008), darkened or
// lightened until they have contrast 4.5 : 1 with the ground. None of them carries a meaning alone: each goes with a
// line style, an arrow shape or a word.
export interface Palette {
  ground: string
  ink: string
  dim: string
  node: string
  border: string
  plus: string
  minus: string
  level: string // an effect without a sign: nominal categories
  pick: string
  lit: string
  standing: Record<Exclude<Standing, 'plain'>, string>
}

const light: Palette = {
  ground: '#ffffff',
  ink: '#1b2530',
  dim: '#5a6672',
  node: '#f2f5f8',
  border: '#7a8794',
  plus: '#0067a8',
  minus: '#b84a00',
  level: '#7a5195',
  pick: '#0b4f8a',
  lit: '#f5b700',
  standing: {
    right: '#0067a8',
    reversed: '#b84a00',
    missing: '#6b6b6b',
    extra: '#8f3b86',
    unoriented: '#5a6672',
    both: '#1b2530',
    turned: '#8f3b86',
    only_first: '#0067a8',
    only_second: '#b84a00',
  },
}

const dark: Palette = {
  ground: '#12171d',
  ink: '#e8edf2',
  dim: '#a3afbb',
  node: '#1f2831',
  border: '#8592a0',
  plus: '#5ab4ee',
  minus: '#f09a4a',
  level: '#cc9ae0',
  pick: '#8fd0ff',
  lit: '#c99700',
  standing: {
    right: '#5ab4ee',
    reversed: '#f09a4a',
    missing: '#a3a3a3',
    extra: '#dd8fd2',
    unoriented: '#a3afbb',
    both: '#e8edf2',
    turned: '#dd8fd2',
    only_first: '#5ab4ee',
    only_second: '#f09a4a',
  },
}

export function palette(theme: 'light' | 'dark'): Palette {
  return theme === 'dark' ? dark : light
}

// Dash patterns: on, off, … in units of the drawing. Absent: a solid line.
export const dash: Partial<Record<Standing, number[]>> = {
  reversed: [9, 4],
  missing: [2, 4],
  extra: [10, 3, 2, 3],
  unoriented: [5, 3],
  turned: [10, 3, 2, 3],
  only_first: [9, 4],
  only_second: [2, 4],
}

// Dash patterns of verdicts. Absent: a solid line.
export const verdictDash: Partial<Record<Verdict, number[]>> = { weak: [2, 4] }
