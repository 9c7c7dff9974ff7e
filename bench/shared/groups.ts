/** Groups the items of a list by key, in the order in which the keys appear. */
export const groupsOf = <T>(list: readonly T[], keyOf: (one: T) => unknown): T[][] =>
  [...new Set(list.map(keyOf))].map((key) => list.filter((one) => keyOf(one) === key))
