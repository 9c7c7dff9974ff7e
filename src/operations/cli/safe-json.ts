import { printable } from './printable.ts'

// Fields with words of this package, of which a token may be a part, and with words that the user has typed.
const kept = new Set(['state', 'status', 'key', 'keys'])

/** A copy with errors as text, in which all text is safe to print in JSON. */
export const safeCopy = <T>(value: T, secrets: readonly string[]): T => {
  const safe = printable(secrets)
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // `given` is the result of `toJSON`.
    const { [key]: original } = this
    if (original instanceof Error) return safe(original.message)
    const isText = typeof given === 'string' && !kept.has(key)
    return isText ? safe(given) : (given as unknown)
  })
  return JSON.parse(json) as T
}
