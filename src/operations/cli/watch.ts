import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeStates, type NodeState } from '../doctor/node-states.ts'
import { inspect } from '../../client/inspect.ts'
import type { Redlock } from '../../client/redlock.ts'
import type { NodeReport } from '../../core/results/node-report.ts'
import { clientOptions, parseArguments } from './arguments.ts'
import { withRedlock } from './client.ts'
import { safeCopy } from './safe-json.ts'
import { table } from './table.ts'

// The maximum delay of a Node timer, in ms.
const maxInterval = 2 ** 31 - 1

// The default delay between two checks, in ms.
const defaultInterval = 1_000

// A node is shown as slow if its latency exceeds both this multiple of the median and this many ms.
const [slowFactor, slowFrom] = [3, 50]

type WatchRow = NodeState & Pick<NodeReport, 'status' | 'error'>

/** Checks all nodes once, by inspecting a key that no client uses. */
const look = async (redlock: Redlock): Promise<WatchRow[]> => {
  const { nodes } = await inspect(redlock, `watch ${crypto.randomUUID()}`)
  const states = new Map(nodeStates(redlock).map((state) => [state.node, state]))
  const rows = nodes.map(({ node, status, error }) => {
    const state = states.get(node)!
    const latency = error ? undefined : state.latency
    return Object.assign(state, { latency, status, error })
  })
  const latencies = rows.map(({ latency = Infinity }) => latency).sort((a, b) => a - b)
  const slow = Math.max(slowFrom, slowFactor * latencies[(latencies.length - 1) >> 1]!)
  return rows.map((row) => Object.assign(row, { isSlow: (row.latency ?? 0) > slow }))
}

const stateInWords = (
  { status, error, downFor = 0, isSlow }: WatchRow,
  isOnce: boolean,
): string => {
  if (status === 'duplicate' || status === 'quarantined') return status
  if (error) return isOnce ? 'down' : `down for ${Math.round(downFor / 1000)} s`
  return isSlow ? 'slow' : 'up'
}

const lines = (rows: readonly WatchRow[], isOnce: boolean): string[] =>
  table([
    ['node', 'state', 'latency', 'error'],
    ...rows.map((row) => [
      row.node,
      stateInWords(row, isOnce),
      row.latency === undefined ? '' : `${row.latency} ms`,
      String(row.error ?? ''),
    ]),
  ])

/** Runs `edge-redlock watch` until it is interrupted, or once with `--interval 0`. @returns whether all nodes are up. */
export const runWatch = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'interval'])
  const { interval = defaultInterval, json, words } = given
  if (words.length > 0) throw new Error('edge-redlock watch takes no key')
  if (interval > maxInterval) throw new Error(`--interval must be at most ${maxInterval} ms`)
  const isOnce = interval === 0
  return withRedlock(given, async (redlock, secrets) => {
    // Discard the first check, which takes longer because it opens the connections.
    await look(redlock)
    for (;;) {
      const at = new Date().toISOString()
      const seen = await look(redlock)
      const rows = safeCopy(seen, secrets)
      const text = json ? [JSON.stringify({ at, nodes: rows })] : [at, ...lines(rows, isOnce)]
      // On a terminal, each state replaces the previous one.
      if (process.stdout.isTTY && !json && !isOnce) console.clear()
      for (const line of text) console.log(line)
      if (isOnce) return seen.every(({ error }) => !error)
      await sleep(interval)
    }
  })
}
