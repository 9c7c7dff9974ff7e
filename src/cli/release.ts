import { forceRelease, type ForcedRelease, type ForceReleaseOptions } from '../force-release.ts'
import { clientOptions, keyOf, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { nodeTable } from './node-table.ts'
import { safeCopy } from './safe-json.ts'

const sentences: Readonly<Record<ForcedRelease['state'], string>> = {
  released: 'is released. Its holder learns of it at its next extension.',
  free: 'was free.',
  kept: 'has another holder now, and stays locked.',
}

/** Runs `edge-redlock release`. @returns whether the holder is gone. */
export const runRelease = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'kind', 'id'])
  const key = keyOf('release', given)
  const options = { id: given.id, kind: given.kind as ForceReleaseOptions['kind'] }
  const result = await withRedlock(given, async (redlock, secrets) =>
    safeCopy(await forceRelease(redlock, key, options), secrets),
  )
  const lines = [`${key} ${sentences[result.state]}`, '', ...nodeTable(result.nodes)]
  for (const line of given.json ? [JSON.stringify({ key, ...result })] : lines) console.log(line)
  return result.state !== 'kept'
}
