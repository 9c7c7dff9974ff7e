import { printable } from './printable.ts'

/** A copy with errors as text, in which all text is safe to print. */
export const safeCopy = <T>(value: T, secrets: readonly string[]): T => {
  const safe = printable(secrets)
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
    // The value is what `toJSON` has returned.
    const { [key]: original } = this
    if (original instanceof Error) return safe(original.message)
    return typeof given === 'string' ? safe(given) : (given as unknown)
  })
  return JSON.parse(json) as T
}
