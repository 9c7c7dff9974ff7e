// A full map makes room for more than one entry at a time: V8 passes over all entries that were deleted
// lately to find the oldest that is left.
const maxShare = 7 / 8

/**
 * A map whose entries take a limited number of bytes, by the estimate of whoever sets them. When it is
 * full, the eighth of them that was set first goes. An entry that is too large by itself is not kept.
 */
export class BoundedMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value
  }

  /**
   * Sets an entry.
   *
   * @param overhead - The bytes that it takes beside the characters of its key.
   */
  set(key: string, value: V, overhead: number): void {
    // A map keeps its entries in order of insertion. Deleting the key makes it the newest.
    this.delete(key)
    // A character takes up to two bytes.
    const bytes = 2 * key.length + overhead
    if (bytes > this.#maxBytes) return
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#shrinkTo(Math.min(this.#maxBytes * maxShare, this.#maxBytes - bytes))
    }
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
  }

  #shrinkTo(maxBytes: number): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= maxBytes) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}
