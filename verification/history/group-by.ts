/** Groups elements by a key. */
export const groupBy = <T>(list: Iterable<T>, key: (one: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(key(one))
    if (group) group.push(one)
    else groups.set(key(one), [one])
  }
  return groups
}

/** Groups elements by each of their keys. */
export const groupByKeys = <T extends { readonly keys: readonly string[] }>(
  list: readonly T[],
): Map<string, T[]> => {
  const pairs = list.flatMap((one) => one.keys.map((key) => ({ key, one })))
  const groups = groupBy(pairs, ({ key }) => key)
  return new Map([...groups].map(([key, group]) => [key, group.map(({ one }) => one)]))
}
