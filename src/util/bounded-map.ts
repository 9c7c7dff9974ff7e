/** A map that discards old entries. */
export type BoundedMap<V> = {
  readonly get: (key: string) => V | undefined
  /**
   * Sets an entry and makes it one of the most recent.
   *
   * @param overhead - The size of the entry in bytes, without the characters of its key.
   */
  readonly set: (key: string, value: V, overhead: number) => void
}

/**
 * Creates a map whose entries take at most `maxBytes` plus one entry, according to the caller's estimates. Once the
 * newer entries exceed half of that, they become the older half, and the previous older half is discarded.
 */
export const boundedMap = <V>(maxBytes: number): BoundedMap<V> => {
  let newer = new Map<string, V>()
  let older = newer
  let bytes = 0
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set: (key, value, overhead) => {
      if (!newer.has(key)) {
        // A character takes up to two bytes.
        bytes += 2 * key.length + overhead
        if (bytes > maxBytes / 2) {
          older = newer
          newer = new Map()
          bytes = 2 * key.length + overhead
        }
      }
      newer.set(key, value)
    },
  }
}
