/** One value inside an error, and the path to it. */
export type Fact = { readonly path: string; readonly value: unknown }

// Reaches the errors of votes inside the statistics of attempts.
const maxDepth = 6

const partsOf = (value: object): [string, unknown][] => {
  if (value instanceof Map) return [...value.values()].map((part, index) => [`[${index}]`, part])
  if (Array.isArray(value)) return value.map((part, index) => [`[${index}]`, part])
  const parts: [string, unknown][] = Object.entries(value).map(([name, part]) => [`.${name}`, part])
  if (value instanceof Error) parts.push(['.message', value.message], ['.cause', value.cause])
  return parts
}

/** Whether a value is a Redis client, which says nothing about the error and is circular. */
const isClient = (value: object): boolean => 'sendCommand' in value

/** Every value that an error carries; promises are awaited. */
export const factsOf = async (value: unknown, path = 'error', depth = 0): Promise<Fact[]> => {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  if (depth > maxDepth || isClient(value)) return []
  if (value instanceof Promise) return factsOf(await value, path, depth + 1)
  const parts = partsOf(value)
  return (
    await Promise.all(parts.map(([name, part]) => factsOf(part, path + name, depth + 1)))
  ).flat()
}
