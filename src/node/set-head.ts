import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'

type Pair = readonly [name: string, value: OutgoingHttpHeader]

/** The names and values that `writeHead` takes: an object, a list of pairs, or both in turn in one list. */
const pairsOf = (given: OutgoingHttpHeaders | readonly unknown[]): readonly Pair[] => {
  if (!Array.isArray(given)) return Object.entries(given) as Pair[]
  if (Array.isArray(given[0])) return given as readonly Pair[]
  return given.flatMap((name, index) =>
    index % 2 === 0 ? [[name, given[index + 1]] as unknown as Pair] : [],
  )
}

/** Sets on a response what the arguments of `writeHead` say, without sending it. */
export const setHead = (res: ServerResponse, args: readonly unknown[]): void => {
  const [status, reason, last] = args
  res.statusCode = Number(status)
  if (typeof reason === 'string') res.statusMessage = reason
  const headers = typeof reason === 'string' ? last : (last ?? reason)
  const pairs = pairsOf((headers ?? {}) as OutgoingHttpHeaders)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value as string)
}
