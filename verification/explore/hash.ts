// Two rounds of multiply and xor over the characters, which give 53 bits: as many as a number holds exactly. Two states
// of ten million share a hash with a probability of 0.6 %, and then one of them is not searched.

/** Hashes a text to an integer of 53 bits. */
export const hashOf = (text: string): number => {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}

/** A set of hashes. It needs 16 to 32 bytes for each of them; a `Set` of numbers needs about 60. */
export class HashSet {
  #slots = new Float64Array(1 << 16)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds a hash. @returns whether it is new. */
  add(hash: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    // 0 marks a free slot.
    const isNew = this.#insert(hash || 1)
    if (isNew) this.#size++
    return isNew
  }

  #insert(hash: number): boolean {
    const slots = this.#slots
    for (let index = hash % slots.length; ; index = (index + 1) % slots.length) {
      if (slots[index] === hash) return false
      if (slots[index] !== 0) continue
      slots[index] = hash
      return true
    }
  }

  #grow(): void {
    const known = this.#slots
    this.#slots = new Float64Array(known.length * 2)
    for (const hash of known) if (hash) this.#insert(hash)
  }
}
