import { forceRelease, type ForcedRelease, type ForceReleaseOptions } from '../force-release.ts'
import { isQuorumError } from '../reports/errors.ts'
import { clientOptions, keyOf, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { nodeTable } from './node-table.ts'
import { printable } from './printable.ts'
import { safeCopy } from './safe-json.ts'

const sentences: Readonly<Record<ForcedRelease['state'] | 'unavailable', string>> = {
  unavailable: 'may still be locked: too few nodes answer.',
  released: 'is released. Its holder learns of it at its next extension.',
  free: 'was free.',
  kept: 'has another holder now, and stays locked.',
}

/** Runs `edge-redlock release`. @returns whether the holder is gone. */
export const runRelease = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'id'])
  const key = keyOf('release', given)
  const options = { id: given.id, kind: given.kind as ForceReleaseOptions['kind'] }
  return withRedlock(given, async (redlock, secrets) => {
    const { state, nodes } = await forceRelease(redlock, key, options).catch((error: unknown) => {
      if (!isQuorumError(error)) throw error
      return { state: 'unavailable' as const, nodes: error.nodes }
    })
    const safe = safeCopy(nodes, secrets)
    const lines = [`${printable(secrets)(key)} ${sentences[state]}`, '', ...nodeTable(safe)]
    const json = JSON.stringify({ key, state, nodes: safe })
    for (const line of given.json ? [json] : lines) console.log(line)
    return state === 'released' || state === 'free'
  })
}
