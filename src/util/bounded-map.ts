/** A map that drops old entries. */
export type BoundedMap<V> = {
  readonly get: (key: string) => V | undefined
  /**
   * Sets an entry, which becomes one of the newest.
   *
   * @param overhead - The bytes that it takes besides the characters of its key.
   */
  readonly set: (key: string, value: V, overhead: number) => void
}

/**
 * A map whose entries take at most `maxBytes` bytes plus one entry, as estimated by the caller. Once the newest entries
 * take half of that, they become the older half, and the previous older half is dropped.
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
