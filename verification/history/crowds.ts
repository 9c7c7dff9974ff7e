type Period = { readonly from: number; readonly until: number }

/** For each period, the periods that are active when it begins, with itself as the last. */
export const crowdsOf = <T extends Period>(periods: readonly T[]): T[][] => {
  let going: T[] = []
  return periods
    .filter(({ from, until }) => from < until)
    .sort((a, b) => a.from - b.from)
    .map((one) => {
      going = [...going.filter(({ until }) => one.from < until), one]
      return going
    })
}

/** The crowds above the limit, and the maximum size of the others. */
export const crowdsBeyond = <T extends Period>(
  periods: readonly T[],
  limit: number,
): { readonly beyond: T[][]; readonly most: number } => {
  const crowds = crowdsOf(periods)
  return {
    beyond: crowds.filter(({ length }) => length > limit),
    most: Math.max(0, ...crowds.map(({ length }) => length).filter((length) => length <= limit)),
  }
}
