import { inspect, type Inspection, type InspectOptions } from '../inspect.ts'
import { inspectSlots, type InspectSlotsOptions } from '../slots/inspect-slots.ts'
import { type Arguments, clientOptions, keyOf, parseArguments } from './arguments.ts'
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

/** Looks at all slots of a key with a limit. */
const lookAtSlots = async (given: Arguments, key: string, limit: number): Promise<boolean> =>
  withRedlock(given, async (redlock, secrets) => {
    const kind = given.kind as InspectSlotsOptions['kind']
    const { remaining, slots } = await inspectSlots(redlock, key, { limit, kind })
    const states = slots.map(({ state }) => state)
    const safe = safeCopy(slots, secrets).map((slot, index) =>
      Object.assign(slot, { state: states[index]! }),
    )
    const lines = [
      `${printable(secrets)(key)} has ${remaining} of ${limit} left.`,
      '',
      ...safe.map((slot, index) => sentence(`${printable(secrets)(key)}#${index + 1}`, slot)),
    ]
    const json = JSON.stringify({ key, remaining, slots: safe })
    for (const line of given.json ? [json] : lines) console.log(line)
    return !states.includes('unavailable')
  })

/** Runs `edge-redlock inspect`. @returns whether enough nodes answered. */
export const runInspect = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'limit'])
  const key = keyOf('inspect', given)
  if (given.limit !== undefined) return lookAtSlots(given, key, given.limit)
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
