import { printable } from './printable.ts'

// Fields that are not masked: they contain fixed words, of which a short token could be a part, or the user's own input.
const kept = new Set(['state', 'status', 'key', 'keys'])

/** Copies a value through JSON. In the copy, errors are text, and all text is safe to print. */
export const safeCopy = <T>(value: T, secrets: readonly string[]): T => {
  const safe = printable(secrets)
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // Read the original value, because `given` is the result of `toJSON`.
    const { [key]: original } = this
    if (original instanceof Error) return safe(original.message)
    const isText = typeof given === 'string' && !kept.has(key)
    return isText ? safe(given) : (given as unknown)
  })
  return JSON.parse(json) as T
}
