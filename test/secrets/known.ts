// A text leaks a secret if it contains this many consecutive characters of it. Parts that have only hex
// digits must be longer, since they could also be a time or the public part of another secret.
const minLength = 8
const minHexLength = 12

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g
const words = /[^\s"',:;()[\]{}]{8,}/g
const maxClean = 50_000

/** Each substring of `size` characters. */
const partsOf = function* (text: string, size: number, start: number = 0): Iterable<string> {
  for (let at = start; at + size <= text.length; at++) yield text.slice(at, at + size)
}

/** Whether the part has more than so many different characters. Crowds of clients have many secrets. */
const isVaried = (part: string, more: number): boolean => {
  let different = 0
  for (let at = 0; at < part.length; at++) {
    if (part.indexOf(part[at]!) === at && ++different > more) return true
  }
  return false
}

const isDistinctive = (part: string): boolean => /[^\da-f.]/.test(part) && isVaried(part, 3)

/** Finds secrets in texts: those kept for good, and those of this turn and the last. */
export class Secrets {
  readonly #kept = new Set<string>()
  #recent = [new Set<string>(), new Set<string>()] as const
  // Words without secrets, cached since stacks repeat the same words.
  readonly #clean = new Set<string>()

  /** Remembers a secret for good. */
  keep(secret: string): void {
    // A UUID is remembered when it is generated, so no earlier word can contain it.
    if (!secret.match(uuid) && !this.#kept.has(secret)) this.#clean.clear()
    this.#add(this.#kept, secret, 0)
  }

  /** Remembers a secret until the turn after next. Its first `open` characters are public. */
  add(secret: string, open: number): void {
    if (!secret.match(uuid)) this.#clean.clear()
    this.#add(this.#recent[0], secret, open)
  }

  #add(set: Set<string>, secret: string, open: number): void {
    if (set.has(secret)) return
    set.add(secret)
    for (const part of partsOf(secret, minLength, open)) if (isDistinctive(part)) set.add(part)
    for (const part of partsOf(secret, minHexLength, open)) {
      if (!isDistinctive(part) && isVaried(part, 4)) set.add(part)
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
      if (this.#clean.size > maxClean) this.#clean.clear()
      this.#clean.add(word)
    }
    return undefined
  }

  #has(part: string): boolean {
    const [now, before] = this.#recent
    return this.#kept.has(part) || now.has(part) || before.has(part)
  }

  #findIn(word: string): string | undefined {
    // UUIDs in the keys of tests could match a part of a secret by chance.
    const text = word.replace(uuid, (one) => (this.#has(one) ? one : ''))
    for (const size of [minLength, minHexLength]) {
      for (const part of partsOf(text, size)) if (this.#has(part)) return part
    }
    return undefined
  }
}
