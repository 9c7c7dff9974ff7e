/** Puts an entry into a map that keeps so many: the oldest go first. */
export const keep = <K, V>(map: Map<K, V>, key: K, value: V, most: number): void => {
  // A map keeps the order in which entries came: this one is the latest now.
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < most) break
    map.delete(oldest)
  }
  map.set(key, value)
}
