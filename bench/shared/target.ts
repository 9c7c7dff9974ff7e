/** A measured value, and the maximum that it must not exceed. */
export type Target = {
  readonly about: string
  readonly value: number
  readonly most: number
  readonly isMet: boolean
}

/** A value that could not be measured is NaN, and meets no target. */
export const target = (about: string, value: number, most: number): Target => ({
  about,
  value,
  most,
  isMet: value <= most,
})

const figure = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toFixed(2))

/** A target in words: its value, its maximum, and whether it was missed. */
export const describeTarget = ({ about, value, most, isMet }: Target): string =>
  `${about}: ${figure(value)} (at most ${most}${isMet ? '' : ', MISSED'})`
