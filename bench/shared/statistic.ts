/** A statistic of values; undefined where there are none, or where times that never ended decide it. */
export const statisticOf = (
  values: number[],
  statistic: (values: number[]) => number,
): number | undefined => {
  // Between two times that never ended, a quantile is NaN.
  const value = values.length > 0 ? statistic(values) : NaN
  return Number.isFinite(value) ? value : undefined
}
