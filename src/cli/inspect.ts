import { inspect, type Inspection, type InspectOptions } from '../inspect.ts'
import { clientOptions, keyOf, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { nodeTable } from './node-table.ts'
import { safeCopy } from './safe-json.ts'

const sentence = (key: string, { state, holder, metadata, ttl }: Inspection): string => {
  if (state === 'unavailable') return `Too few nodes answer to know who holds ${key}.`
  if (state === 'free') return `Nobody holds ${key}.`
  if (state === 'recorded') return `The answer for ${key} is recorded, for another ${ttl} ms.`
  const who = metadata ? `${holder} (${metadata})` : `${holder}`
  return `${key} is held by ${who}, for another ${ttl} ms unless it is extended.`
}

/** Runs `edge-redlock inspect`. @returns whether enough nodes answered. */
export const runInspect = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind'])
  const key = keyOf('inspect', given)
  const kind = given.kind as InspectOptions['kind']
  const found = await withRedlock(given, async (redlock, secrets) =>
    safeCopy(await inspect(redlock, key, { kind }), secrets),
  )
  const lines = [sentence(key, found), '', ...nodeTable(found.nodes)]
  if (found.state === 'locked' && kind !== 'claim') {
    const option = kind ? ` --kind ${kind}` : ''
    lines.push('', `To free it: edge-redlock release '${key}' --id ${found.holder}${option}`)
  }
  for (const line of given.json ? [JSON.stringify({ key, ...found })] : lines) console.log(line)
  return found.state !== 'unavailable'
}
