import {
  forceRelease,
  type ForcedRelease,
  type ForceReleaseOptions,
} from '../../client/force-release.ts'
import { inspect, type Inspection } from '../../client/inspect.ts'
import type { Redlock } from '../../client/redlock.ts'
import { isQuorumError } from '../../core/results/errors.ts'
import { slotKey } from '../../client/slots/slot-acquisition.ts'
import { clientOptions, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { whoIs } from './inspect.ts'
import { nodeTable } from './node-table.ts'
import { visible } from '../../util/safe-text.ts'
import { safeCopy } from './safe-json.ts'

type State = ForcedRelease['state'] | 'foreign' | 'unavailable'
type Kind = ForceReleaseOptions['kind']
type Holder = Pick<Inspection, 'holder' | 'metadata'>

/** The result for one key, and the client that held its lock before, or still holds it. */
type ReleasedKey = Holder &
  Pick<Inspection, 'nodes'> & { readonly key: string; readonly state: State }

const sentenceOf = (kind: Kind, { key: name, state, holder, metadata }: ReleasedKey): string => {
  const key = visible(name)
  const who = holder === undefined ? '' : whoIs({ holder, metadata })
  const had = who && ` ${who} had it.`
  if (state === 'unavailable') return `${key} may still be locked: too few nodes replied.`
  if (state === 'foreign')
    return `The key of ${key} holds data that is not a lock, or never expires. It was not deleted: delete it yourself, or use another prefix.`
  if (state === 'kept')
    return `${key} has another holder now, and stays locked.${who && ` ${who} has it.`}`
  if (kind === 'throttle') {
    if (state === 'free') return `The window of ${key} was open.`
    return `The window of ${key} is open.${had} An isolate that has let a call pass keeps rejecting others until its window ends.`
  }
  if (state === 'free') return `${key} was free.`
  return `${key} is released.${had} The holder finds out at its next extension. If the same lock has other keys, release them too: otherwise they stay locked until they expire.`
}

/** Releases one key, from the given holder or from the current one, which is looked up so that the output names it. */
const free = async (
  redlock: Redlock,
  key: string,
  options: ForceReleaseOptions,
): Promise<ReleasedKey> => {
  const seen = await inspect(redlock, key, { kind: options.kind })
  const { holder, metadata } = seen
  const id = options.id ?? holder
  try {
    const { state, nodes } = await forceRelease(redlock, key, { ...options, id })
    // Another client may have acquired the lock since the inspection.
    const now = state === 'kept' ? await inspect(redlock, key, { kind: options.kind }) : seen
    if (now.state === 'foreign') return { key, state: 'foreign', nodes }
    return { key, state, holder: now.holder, metadata: now.metadata, nodes }
  } catch (error) {
    if (!isQuorumError(error)) throw error
    return { key, state: 'unavailable', holder, metadata, nodes: error.nodes }
  }
}

/** The keys to release: the given keys, or the slots of a key with a limit. */
const keysOfLock = (words: readonly string[], limit: number | undefined): string[] => {
  const [key] = words
  if (!key || words.includes('')) throw new Error('Expected a key: edge-redlock release KEY')
  if (limit === undefined) return [...new Set(words)]
  if (words.length > 1) throw new Error('Expected one key with --limit')
  if (limit < 1 || limit > 100) throw new Error('--limit must be from 1 to 100')
  return Array.from({ length: limit }, (_, index) => slotKey(key, index + 1))
}

/** Runs `edge-redlock release`. @returns whether the locks were released, or were already free. */
export const runRelease = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'id', 'limit'])
  const kind = given.kind as Kind
  const keys = keysOfLock(given.words, given.limit)
  return withRedlock(given, async (redlock, secrets) => {
    const options = { id: given.id, kind }
    const results = safeCopy(
      await Promise.all(keys.map((key) => free(redlock, key, options))),
      secrets,
    )
    const lines = results.flatMap((one) => [
      sentenceOf(kind, one),
      ...(keys.length === 1 ? ['', ...nodeTable(one.nodes)] : []),
    ])
    const [only, ...more] = results
    const isFree = results.every(({ state }) => state === 'free')
    if (isFree && given.limit === undefined) lines.push('', 'If it has a limit, add --limit.')
    const json = JSON.stringify(more.length > 0 ? { keys: results } : only)
    for (const line of given.json ? [json] : lines) console.log(line)
    // With an ID, slots of other holders are meant to stay locked.
    const states = results.map(({ state }) => state)
    const isDone = (state: State): boolean =>
      state === 'released' || state === 'free' || (given.id !== undefined && state === 'kept')
    return states.every(isDone) && (isFree || states.includes('released'))
  })
}
