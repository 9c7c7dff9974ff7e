import { forceRelease, type ForcedRelease, type ForceReleaseOptions } from '../force-release.ts'
import { inspect, type Inspection } from '../inspect.ts'
import type { Redlock } from '../redlock.ts'
import { isQuorumError } from '../reports/errors.ts'
import { slotKey } from '../slots/slot-contest.ts'
import { clientOptions, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { whoIs } from './inspect.ts'
import { nodeTable } from './node-table.ts'
import { safeCopy } from './safe-json.ts'

type State = ForcedRelease['state'] | 'unavailable'
type Kind = ForceReleaseOptions['kind']

/** What became of one key, and who held it before. */
type Outcome = Pick<Inspection, 'holder' | 'metadata' | 'nodes'> & {
  readonly keys: readonly string[]
  readonly state: State
}

const sentenceOf = (kind: Kind, { keys, state, holder, metadata }: Outcome): string => {
  const key = keys.join(', ')
  const who = holder === undefined ? '' : ` ${whoIs({ holder, metadata })} had it.`
  if (state === 'unavailable') return `${key} may still be locked: too few nodes answer.`
  if (state === 'kept') return `${key} has another holder now, and stays locked.${who}`
  if (kind === 'throttle') {
    if (state === 'free') return `The window of ${key} was open.`
    return `The window of ${key} is open.${who} An isolate that has let a call pass goes on to reject.`
  }
  if (state === 'free') return `${key} was free.`
  return `${key} is released.${who} Its holder learns of it at its next extension.`
}

const free = async (
  redlock: Redlock,
  keys: readonly string[],
  options: ForceReleaseOptions,
): Promise<Outcome> => {
  const { holder, metadata } = await inspect(redlock, keys, { kind: options.kind })
  try {
    return { keys, holder, metadata, ...(await forceRelease(redlock, keys, options)) }
  } catch (error) {
    if (!isQuorumError(error)) throw error
    return { keys, holder, metadata, state: 'unavailable', nodes: error.nodes }
  }
}

/** The keys to free one by one: those of a lock together, or each slot of a key with a limit. */
const targetsOf = (words: readonly string[], limit: number | undefined): string[][] => {
  const [key] = words
  if (key === undefined) throw new Error('Expected a key: edge-redlock release KEY')
  if (limit === undefined) return [[...words]]
  if (words.length > 1) throw new Error('Expected one key with --limit')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new Error('Expected --limit to be a whole number from 1 to 100')
  }
  return Array.from({ length: limit }, (_, index) => [slotKey(key, index + 1)])
}

/** Runs `edge-redlock release`. @returns whether the holder is gone. */
export const runRelease = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'id', 'limit'])
  const kind = given.kind as Kind
  const targets = targetsOf(given.words, given.limit)
  return withRedlock(given, async (redlock, secrets) => {
    const freed = await Promise.all(
      targets.map((keys) => free(redlock, keys, { id: given.id, kind })),
    )
    const results = safeCopy(freed, secrets)
    for (const result of results) {
      const { keys, ...rest } = result
      const lines = [sentenceOf(kind, result)]
      if (targets.length === 1) lines.push('', ...nodeTable(result.nodes, 'forgotten'))
      const json = JSON.stringify({ key: keys.length > 1 ? keys : keys[0], ...rest })
      for (const line of given.json ? [json] : lines) console.log(line)
    }
    // Of the slots of a key, others than that of the id stay locked.
    const states = freed.map(({ state }) => state)
    return states.includes('released') || states.every((state) => state === 'free')
  })
}
