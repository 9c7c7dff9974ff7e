import { inspect, type Inspection, type InspectOptions } from '../inspect.ts'
import { clientOptions, keyOf, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { nodeTable } from './node-table.ts'
import { printable } from './printable.ts'
import { safeCopy } from './safe-json.ts'

const sentence = (key: string, { state, holder, metadata, ttl }: Inspection): string => {
  if (state === 'unavailable') return `Too few nodes answer to know who holds ${key}.`
  if (state === 'free') return `Nobody holds ${key}.`
  if (state === 'recorded') return `The answer for ${key} is recorded, for another ${ttl} ms.`
  const who = metadata ? `${holder} (${metadata})` : `${holder}`
  return `${key} is held by ${who}, for another ${ttl} ms unless it is extended.`
}

/** Text as one word of a shell. */
const quoted = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Runs `edge-redlock inspect`. @returns whether enough nodes answered. */
export const runInspect = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind'])
  const key = keyOf('inspect', given)
  const kind = given.kind as InspectOptions['kind']
  return withRedlock(given, async (redlock, secrets) => {
    const seen = await inspect(redlock, key, { kind })
    // The state is a word of ours.
    const found = { ...safeCopy(seen, secrets), state: seen.state }
    const lines = [sentence(printable(secrets)(key), found), '', ...nodeTable(found.nodes)]
    if (seen.state === 'locked' && kind !== 'claim') {
      const { prefix, from } = given
      const options = Object.entries({ id: found.holder, kind, prefix, from })
        .flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${quoted(value)}`]))
        .join(' ')
      lines.push('', `To free it: edge-redlock release ${quoted(key)} ${options}`)
    }
    for (const line of given.json ? [JSON.stringify({ key, ...found })] : lines) console.log(line)
    return seen.state !== 'unavailable'
  })
}
