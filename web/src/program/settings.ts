import type { Remedy, Setting } from './backend'

// The roles of a column besides that of a variable. Each is a flag whose value is the name of the column.
export const roles = { drop: 'excluded', time: 'time', series: 'series', 'row-weights': 'row weights', frequencies: 'frequencies', environments: 'environment', targets: 'intervention targets', groups: 'group' } as const
export type Role = keyof typeof roles

// Names that are flags of polydag learn; the program takes the others as --set name=value. A test of command compares the list.
export const flagNames = new Set('columns drop keep kind missing rows groups environments targets time lags series method model alpha penalty max-edges min-gain standardize names require forbid prior roots leaves order knowledge bootstrap seed'.split(' '))

// typed has the words of a setting on the command line.
export function typed([name, value]: Setting): string[] {
  const on = value === 'true'
  if (!flagNames.has(name)) return ['--set', on ? name : `${name}=${value}`]
  return on ? [`--${name}`] : [`--${name}`, value]
}

export const kinds = ['continuous', 'count', 'ordinal', 'binary', 'categorical'] as const

// Flags of a time series besides its columns. They need a time column.
export const ofTime = ['lags', 'gaps', 'step', 'aggregate', 'fixed-effects', 'difference', 'detrend', 'season']

// rowOrder is the time of a table whose rows are in the order of time and have no time column.
export const rowOrder = '.'

// Flags with a list of values; the others have one.
const lists = new Set(['drop', 'keep', 'kind', 'na', 'log', 'columns'])

// Settings is the list of what the visitor changed. It is the one source of roles, kinds and options.
export class Settings {
  list: Setting[] = []

  get(flag: string): string | undefined {
    return this.list.find(([f]) => f === flag)?.[1]
  }

  has(flag: string, value: string): boolean {
    return this.list.some(([f, v]) => f === flag && v === value)
  }

  // set replaces a flag with one value, or adds a value to a list. An empty value removes the flag.
  set(flag: string, value: string): void {
    if (!lists.has(flag)) this.list = this.list.filter(([f]) => f !== flag)
    else this.remove(flag, value)
    if (value !== '') this.list.push([flag, value])
  }

  remove(flag: string, value: string): void {
    this.list = this.list.filter(([f, v]) => f !== flag || v !== value)
  }

  // checked returns the settings of polydag check: there, the columns of a time series are excluded.
  checked(known: Set<string>): Setting[] {
    return this.list.flatMap(([flag, value]): Setting[] => {
      if (flag === 'time' || flag === 'series') return value === rowOrder ? [] : [['drop', value]]
      return known.has(flag) ? [[flag, value]] : []
    })
  }

  // run returns the settings of polydag learn. Those of a time series are left out if no column has the time.
  run(): Setting[] {
    if (this.get('time') === undefined) return this.list.filter(([flag]) => !ofTime.includes(flag))
    return this.get('lags') === undefined ? [...this.list, ['lags', 'auto']] : [...this.list]
  }

  role(column: string): Role | '' {
    return (Object.keys(roles) as Role[]).find((r) => this.has(r, column)) ?? ''
  }

  setRole(column: string, role: Role | ''): void {
    for (const r of Object.keys(roles)) this.remove(r, column)
    if (role) {
      this.remove('keep', column)
      this.setKind(column, '')
      this.set(role, column)
    }
  }

  kind(column: string): string {
    return kinds.find((k) => this.has('kind', `${column}=${k}`)) ?? ''
  }

  setKind(column: string, kind: string): void {
    for (const k of kinds) this.remove('kind', `${column}=${k}`)
    if (kind) this.set('kind', `${column}=${kind}`)
  }

  keep(column: string): void {
    this.setRole(column, '')
    this.set('keep', column)
  }

  apply(r: Remedy): void {
    for (const value of r.columns ?? [r.value ?? 'true']) {
      if (r.setting === 'drop' || r.setting === 'time' || r.setting === 'series') this.setRole(value, r.setting)
      else if (r.setting === 'keep') this.keep(value)
      else if (r.setting === 'kind') this.setKind(value.slice(0, value.lastIndexOf('=')), value.slice(value.lastIndexOf('=') + 1))
      else this.set(r.setting, value)
    }
  }
}

// applicable reports whether a remedy can be applied by a button: it has a value, and no method is named.
export function applicable(r: Remedy): boolean {
  return r.setting !== 'columns' && (r.columns !== undefined || (r.value ?? '') !== '')
}
