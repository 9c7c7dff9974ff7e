/** The smallest value that at least this share of the values does not exceed; undefined for none. */
export const quantile = (values: readonly number[], share: number): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)]

export const median = (values: readonly number[]): number | undefined => quantile(values, 0.5)
