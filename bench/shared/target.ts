import { type Columns, figure } from './table.ts'

/** A measured value, with its maximum or minimum. */
export type Target = {
  readonly about: string
  readonly value: number
  readonly most?: number
  readonly least?: number
  readonly isMet: boolean
}

/** A value that could not be measured is NaN, and meets no target. */
export const target = (about: string, value: number, most: number): Target => ({
  about,
  value,
  most,
  isMet: value <= most,
})

export const atLeast = (about: string, value: number, least: number): Target => ({
  about,
  value,
  least,
  isMet: value >= least,
})

const limitOf = ({ most, least }: Target): string =>
  most === undefined ? `at least ${least}` : `at most ${most}`

/** A target in words: its value, its limit, and whether it was missed. */
const describeTarget = (one: Target): string =>
  `${one.about}: ${figure(one.value)} (${limitOf(one)}${one.isMet ? '' : ', MISSED'})`

export const targetColumns: Columns<Target> = {
  target: ({ about }) => about,
  measured: ({ value }) => figure(value),
  limit: limitOf,
  verdict: ({ isMet }) => (isMet ? 'met' : '**missed**'),
}

/** The outcome of a bench whose figures have targets: they are its last line. */
export const outcomeOf = (
  about: string,
  targets: readonly Target[],
  json: object,
  lines: readonly string[],
) => {
  const isMet = targets.every((one) => one.isMet)
  return {
    isMet,
    json: { isMet, ...json, bars: targets },
    lines: [...lines, `${about}: ${targets.map(describeTarget).join('; ')}.`],
  }
}
