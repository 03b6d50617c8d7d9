import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

export const polydag = resolve(process.env.POLYDAG ?? `${root}/../bin/polydag`)
export const out = `${root}/test-results/pictures`
export const files = `${root}/test-results/files`
