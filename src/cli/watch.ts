import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeStates, type NodeState } from '../doctor/node-states.ts'
import { inspect } from '../inspect.ts'
import type { Redlock } from '../redlock.ts'
import { clientOptions, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { safeCopy } from './safe-json.ts'
import { table } from './table.ts'

// Of timers, in ms.
const maxInterval = 2 ** 31 - 1

// Ms between two looks.
const defaultInterval = 1_000

type Row = NodeState & { readonly error?: Error | undefined }

/** Asks all nodes once. The key is that of nobody. */
const look = async (redlock: Redlock): Promise<Row[]> => {
  const { nodes } = await inspect(redlock, `watch ${crypto.randomUUID()}`)
  const states = new Map(nodeStates(redlock).map((state) => [state.node, state]))
  return nodes.map(({ node, error }) => Object.assign(states.get(node)!, { error }))
}

const lines = (rows: readonly Row[]): string[] =>
  table([
    ['node', 'state', 'latency', 'error'],
    ...rows.map(({ node, latency, isSlow, downFor, error }) => [
      node,
      error ? `down for ${Math.round((downFor ?? 0) / 1000)} s` : isSlow ? 'slow' : 'up',
      latency === undefined ? '' : `${latency} ms`,
      String(error ?? ''),
    ]),
  ])

/** Runs `edge-redlock watch` until it is interrupted, or once with `--interval 0`. @returns whether all are up. */
export const runWatch = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'interval'])
  const { interval = defaultInterval, json, positionals } = given
  if (positionals.length > 0) throw new Error('edge-redlock watch takes no key')
  if (interval > maxInterval) throw new Error(`Expected --interval to be at most ${maxInterval} ms`)
  return withRedlock(given, async (redlock, secrets) => {
    for (;;) {
      const seen = await look(redlock)
      const rows = safeCopy(seen, secrets)
      const text = json
        ? [JSON.stringify({ at: new Date().toISOString(), nodes: rows })]
        : lines(rows)
      // A terminal shows the latest state in place.
      if (process.stdout.isTTY && !json && interval > 0) console.clear()
      for (const line of text) console.log(line)
      if (interval === 0) return seen.every(({ error }) => !error)
      await sleep(interval)
    }
  })
}
