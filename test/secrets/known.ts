// Whoever has so much of a secret knows too much of it. Of digits alone, and of the like, it takes
// more to tell a secret from a time or from the public part of another.
const least = 8
const leastOfDigits = 12

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g
const words = /[^\s"',:;()[\]{}]{8,}/g
const mostClean = 50_000

/** Each part of so many characters. */
const partsOf = function* (text: string, size: number, start: number = 0): Iterable<string> {
  for (let at = start; at + size <= text.length; at++) yield text.slice(at, at + size)
}

const isTelling = (part: string): boolean => !/^[\da-f.]*$/.test(part) && new Set(part).size > 3

/** Secrets, and whether a text shows one of them: those kept, and those of this turn and the last. */
export class Secrets {
  readonly #kept = new Set<string>()
  #recent = [new Set<string>(), new Set<string>()] as const
  // Stacks say the same words over and over.
  readonly #clean = new Set<string>()

  /** Remembers a secret for good, unless it is so short that any text may show it. */
  keep(secret: string): void {
    // What is random is remembered as it is made: no word that came before can show it.
    if (!secret.match(uuid) && !this.#kept.has(secret)) this.#clean.clear()
    this.#add(this.#kept, secret, 0)
  }

  /** Remembers a secret until the turn after next. Its first `open` characters are no secret. */
  add(secret: string, open: number): void {
    if (!secret.match(uuid)) this.#clean.clear()
    this.#add(this.#recent[0], secret, open)
  }

  #add(set: Set<string>, secret: string, open: number): void {
    if (set.has(secret)) return
    set.add(secret)
    for (const part of partsOf(secret, least, open)) if (isTelling(part)) set.add(part)
    for (const part of partsOf(secret, leastOfDigits, open)) {
      if (!isTelling(part) && new Set(part).size > 4) set.add(part)
    }
  }

  turn(): void {
    this.#recent = [new Set(), this.#recent[0]]
  }

  /** The part of a secret that the text shows; undefined if it shows none. */
  find(text: string): string | undefined {
    for (const [word] of text.matchAll(words)) {
      if (this.#clean.has(word)) continue
      const part = this.#findIn(word)
      if (part !== undefined) return part
      if (this.#clean.size > mostClean) this.#clean.clear()
      this.#clean.add(word)
    }
    return undefined
  }

  #has(part: string): boolean {
    const [now, before] = this.#recent
    return this.#kept.has(part) || now.has(part) || before.has(part)
  }

  #findIn(word: string): string | undefined {
    // Keys of tests have random parts of the same form, some of which would match.
    const text = word.replace(uuid, (one) => (this.#has(one) ? one : ''))
    for (const size of [least, leastOfDigits]) {
      for (const part of partsOf(text, size)) if (this.#has(part)) return part
    }
    return undefined
  }
}
