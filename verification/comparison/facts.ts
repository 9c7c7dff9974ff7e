/** One value inside something that was thrown, and the way to it. */
export type Fact = { readonly path: string; readonly value: unknown }

// Deep enough for errors of votes in statistics of attempts.
const deepest = 6

const partsOf = (value: object): [string, unknown][] => {
  if (value instanceof Map) return [...value.values()].map((part, index) => [`[${index}]`, part])
  if (Array.isArray(value)) return value.map((part, index) => [`[${index}]`, part])
  const parts: [string, unknown][] = Object.entries(value).map(([name, part]) => [`.${name}`, part])
  if (value instanceof Error) parts.push(['.message', value.message], ['.cause', value.cause])
  return parts
}

/** A client is no part of what an error says, and has no end. */
const isClient = (value: object): boolean => 'sendCommand' in value

/** Everything that an error tells: whatever it carries, promises awaited. */
export const factsOf = async (value: unknown, path = 'error', depth = 0): Promise<Fact[]> => {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  if (depth > deepest || isClient(value)) return []
  if (value instanceof Promise) return factsOf(await value, path, depth + 1)
  const parts = partsOf(value)
  return (
    await Promise.all(parts.map(([name, part]) => factsOf(part, path + name, depth + 1)))
  ).flat()
}
