/**
 * Works like `JSON.stringify`, but writes a bigint with all its digits. Redis integers have 64 bits, and JavaScript
 * rounds numbers above 2^53. Not every runtime has `JSON.rawJSON`.
 */
export const writeJson = (value: unknown): string => {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([name, entry]) => `${JSON.stringify(name)}:${writeJson(entry)}`,
  )
  return `{${entries.join()}}`
}
