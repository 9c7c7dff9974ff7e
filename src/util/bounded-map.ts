/** Sets an entry of a map with at most `maxSize` entries. The entries that were set first go first. */
export const setBounded = <K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void => {
  // A map keeps its entries in order of insertion. Deleting the key makes it the newest.
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < maxSize) break
    map.delete(oldest)
  }
  map.set(key, value)
}
