import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quarantine, Redlock, withKeyLocking } from '../../src/index.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../src/redis/scripts/record-script.ts'
import { slotScript } from '../../src/redis/scripts/slot-script.ts'
import { waitScript } from '../../src/redis/scripts/wait-script.ts'
import { wakingReleaseScript } from '../../src/redis/scripts/waking-release-script.ts'
import { dollarsPerMillion } from '../../tools/prices.ts'
import { type Cluster, startCluster } from '../../tools/servers/cluster.ts'
import { between, type Executed, type Watch, watchCommands } from '../../tools/servers/executed.ts'
import { keyLockingSha } from '../support/key-locking.ts'
import { freshKey } from '../support/nodes.ts'
import { type Step, steps } from './steps.ts'

// Counts the requests of each step, and the commands that real servers execute for them, and compares
// the table of docs/understand/costs.md.

const page = fileURLToPath(new URL('../../docs/understand/costs.md', import.meta.url))

const kinds = ['usual', 'keyLocking', 'volatile'] as const
type Kind = (typeof kinds)[number]

type Bed = {
  readonly cluster: Cluster
  readonly watch: Watch
  /** The number of requests that have no response yet. */
  underWay: number
}

const openBed = async (): Promise<Bed> => {
  const cluster = await startCluster({ count: 3 })
  const ports = cluster.nodes.map(({ redis }) => redis!.port)
  const watch = watchCommands(ports)
  // Volatile nodes have been up for longer than their quarantine.
  for (const port of ports) {
    const admin = new Redis(port)
    const [run] = /run_id:\w+/.exec(await admin.info('server'))!
    await admin.set('lock:run', `${run} 1`)
    admin.disconnect()
  }
  return { cluster, watch, underWay: 0 }
}

// Each kind has servers that nothing else uses: most of the time a measurement waits for them to be quiet.
let beds: ReadonlyMap<Kind, Bed> = new Map()
beforeAll(async () => {
  beds = new Map(await Promise.all(kinds.map(async (kind) => [kind, await openBed()] as const)))
})
afterAll(async () => {
  for (const { cluster, watch } of beds.values()) {
    watch.close()
    await cluster.close()
  }
})

const sources = new Map(
  [lockScript, slotScript, recordScript, waitScript, wakingReleaseScript].map((script) => [
    keyLockingSha(script),
    script.source,
  ]),
)

/** Redis rejects the flag of `withKeyLocking`, so the server gets the same script without it. */
const withoutFlag: typeof fetch = (url, init) => {
  if (typeof init?.body !== 'string') return fetch(url, init)
  const [name, script, ...rest] = JSON.parse(init.body) as string[]
  const source = name === 'EVALSHA' && sources.get(script!)
  return fetch(url, {
    ...init,
    body: source ? JSON.stringify(['EVAL', source, ...rest]) : init.body,
  })
}

/** A client with a memory of its own, as in another isolate. */
const clientOf = (kind: Kind, { options }: Step): Redlock => {
  const keyLocking = kind === 'keyLocking'
  const volatile = kind === 'volatile' && quarantine()
  const bed = beds.get(kind)!
  const own: typeof fetch = async (url, init) => {
    bed.underWay++
    try {
      return await (keyLocking ? withoutFlag : fetch)(url, init)
    } finally {
      bed.underWay--
    }
  }
  const nodes = bed.cluster.nodes.map(({ url, token }) => {
    const node = { url, token, volatile, fetch: own }
    return keyLocking ? withKeyLocking(node) : node
  })
  // So long that nothing is extended while a busy machine measures.
  return new Redlock({ ttl: 120_000, ...options, nodes })
}

/** Runs a step after its preparation, until it has cost the same twice. */
const measure = async (kind: Kind, step: Step): Promise<Executed> => {
  const [client, other] = [clientOf(kind, step), clientOf(kind, step)]
  const bed = beds.get(kind)!
  /** The counts once nothing more is executed, however long a busy machine takes to send a request. */
  const settled = async (): Promise<Executed> => {
    let counts: Executed
    do counts = await bed.watch.settled()
    while (bed.underWay > 0)
    return counts
  }
  const play = async (): Promise<Executed> => {
    const key = freshKey()
    const prepared = await step.prepare?.(client, other, key)
    const before = await settled()
    await step.run(client, key, prepared)
    const cost = between(before, await settled())
    await step.finish?.(prepared)
    return cost
  }
  // The first calls ask for the identity of the servers and load the script.
  await play()
  let [last, cost] = [await play(), await play()]
  // On a busy machine, a request may be sent again, or a release be late: not twice in the same way.
  while (cost.commands !== last.commands) [last, cost] = [cost, await play()]
  return cost
}

const rowsOf = async (): Promise<string[]> => {
  const lines = (await readFile(page, 'utf8')).split('\n')
  return lines.filter((line) => /^\| (?:lock|throttle|idempotent|once).*: .* \d+ \|$/.test(line))
}

describe('the table of costs', () => {
  it.for(Object.entries(steps))('%s', async ([name, step]) => {
    const [usual, keyLocking, volatile] = await Promise.all([
      measure('usual', step),
      measure('keyLocking', step),
      measure('volatile', step),
    ])
    const { requests, commands } = usual
    const cells = [name, requests, commands, `$${dollarsPerMillion(commands)}`]
    const row = `| ${[...cells, volatile.commands].join(' | ')} |`
    const inPage = (await rowsOf()).find((line) => line.startsWith(`| ${name} |`))
    expect({ row: inPage }).toEqual({ row })
    expect(keyLocking).toEqual(usual)
    expect(volatile.requests).toBe(requests)
    expect(commands).toBeLessThanOrEqual(3 * step.perNode)
    expect(volatile.commands).toBeLessThanOrEqual(3 * step.perNode + 3 * requests)
  })

  it('has no other rows', async () => {
    expect(await rowsOf()).toHaveLength(Object.keys(steps).length)
  })
})
