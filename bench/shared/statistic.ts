/** A statistic of values; undefined if there are none, or if it depends on times that never ended. */
export const statisticOf = (
  values: number[],
  statistic: (values: number[]) => number,
): number | undefined => {
  // Between two times that never ended, a quantile is NaN.
  const value = values.length > 0 ? statistic(values) : NaN
  return Number.isFinite(value) ? value : undefined
}
