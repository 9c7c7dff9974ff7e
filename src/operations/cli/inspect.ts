import { inspect, type Inspection, type InspectOptions } from '../../client/inspect.ts'
import { inspectSlots, type InspectSlotsOptions } from '../../client/slots/inspect-slots.ts'
import { slotKey } from '../../client/slots/slot-acquisition.ts'
import { type Arguments, clientOptions, keyOf, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { nodeTable } from './node-table.ts'
import { visible } from '../../util/safe-text.ts'
import { safeCopy } from './safe-json.ts'

/** Formats the ID of a holder and its metadata. */
export const whoIs = ({ holder, metadata }: Pick<Inspection, 'holder' | 'metadata'>): string =>
  metadata ? `${holder} (${metadata})` : `${holder}`

const sentence = (kind: string | undefined, name: string, found: Inspection): string => {
  const key = visible(name)
  const { state, ttl } = found
  if (state === 'unavailable') return `Too few nodes replied to determine who holds ${key}.`
  if (state === 'foreign') {
    // `safeCopy` has passed through JSON, which replaces infinity with null.
    const end = !Number.isFinite(ttl) ? 'which never expires' : `for another ${ttl} ms`
    return `The key of ${key} holds data that is not a lock, ${end}. Delete the key, or use another prefix.`
  }
  if (state === 'recorded') return `The result for ${key} is recorded for another ${ttl} ms.`
  if (kind === 'throttle') {
    if (state === 'free') return `The window of ${key} is open.`
    return `The window of ${key} is closed for another ${ttl} ms: ${whoIs(found)} has passed.`
  }
  if (state === 'free') return `${key} is free.`
  return `${key} is held by ${whoIs(found)}, for another ${ttl} ms unless it is extended.`
}

/** Quotes text as one shell word. */
const quoted = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The command that releases the lock or opens the window. */
const remedy = ({ kind, prefix, from, urls }: Arguments, key: string, id: string): string => {
  const goal = kind === 'throttle' ? 'open' : 'free'
  if (visible(key) !== key) return `To ${goal} it: forceRelease() in code, for its exact key`
  const options = Object.entries({ id, kind, prefix, from }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}${value.startsWith('-') ? '=' : ' '}${quoted(value)}`],
  )
  // Do not print the URLs, which may contain passwords.
  const nodes = urls.length > 0 ? ['redis://...'] : []
  const words = key.startsWith('-')
    ? [...options, ...nodes, '--', quoted(key)]
    : [quoted(key), ...options, ...nodes]
  return `To ${goal} it: edge-redlock release ${words.join(' ')}`
}

/** Inspects all slots of a key with a limit. */
const lookAtSlots = async (given: Arguments, key: string, limit: number): Promise<boolean> =>
  withRedlock(given, async (redlock, secrets) => {
    const kind = given.kind as InspectSlotsOptions['kind']
    const { remaining, slots } = await inspectSlots(redlock, key, { limit, kind })
    const safe = safeCopy({ key, remaining, slots }, secrets)
    const lines = [
      `${visible(key)} has ${remaining} of ${limit} left.`,
      '',
      ...safe.slots.map((slot, index) => sentence(kind, slotKey(key, index + 1), slot)),
    ]
    for (const line of given.json ? [JSON.stringify(safe)] : lines) console.log(line)
    // Read the states from the original: in the copy, a state that contains a token would be masked.
    return slots.every(({ state }) => state !== 'unavailable')
  })

/** Runs `edge-redlock inspect`. @returns whether enough nodes replied. */
export const runInspect = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'limit'])
  const key = keyOf('inspect', given)
  if (given.limit !== undefined) return lookAtSlots(given, key, given.limit)
  const kind = given.kind as InspectOptions['kind']
  return withRedlock(given, async (redlock, secrets) => {
    const seen = await inspect(redlock, key, { kind })
    const found = safeCopy({ key, ...seen }, secrets)
    const lines = [sentence(kind, key, found), '', ...nodeTable(found.nodes)]
    if (seen.state === 'locked' && kind !== 'claim') {
      lines.push('', remedy(given, key, found.holder!))
    } else if (seen.state === 'free' && kind !== 'claim') {
      lines.push('', 'If it has a limit, add --limit: each of its slots has a key.')
    }
    for (const line of given.json ? [JSON.stringify(found)] : lines) console.log(line)
    return seen.state !== 'unavailable'
  })
}
