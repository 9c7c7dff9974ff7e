import type { Client } from '../../core/process/client.ts'
import type { Lock } from '../../core/lock/lock.ts'
import { isRetryable, type LockNode, nodeError } from '../../protocol/node.ts'
import { isForeignId, type ServerFacts } from '../../protocol/check-reply.ts'
import { identityKey } from '../../protocol/keys.ts'
import { checkLua, withLua } from '../../redis/commands.ts'
import { cancelTimeoutOf } from '../../core/attempt.ts'
import { inspect } from '../../client/inspect.ts'
import { clientOf, type Redlock } from '../../client/redlock.ts'
import type { LockEvent } from '../../core/results/events.ts'
import type { NodeReport } from '../../core/results/node-report.ts'
import type { ReleaseResult } from '../../core/results/results.ts'
import { stopwatch } from '../../util/clock.ts'

/** The state of one node and its server, without secrets. */
export type NodeCheck = {
  /** The name of the node. */
  readonly node: string
  /** Whether the node abstains after a restart of its server, and whether it votes without a run ID. */
  readonly volatile: boolean | 'without-run-id'
  /** Why the node could not run a script; undefined if it did. */
  readonly error?: string
  /** The duration of one request on an open connection, in ms. */
  readonly latency?: number
  /** How far the server's clock is ahead of the local clock, in ms, plus or minus half of the latency. */
  readonly clockOffset?: number | undefined
  /** The server's report about itself. */
  readonly server?: ServerFacts
}

/** The report of `check`, without secrets. */
export type Check = {
  readonly nodes: readonly NodeCheck[]
  /** The Redis key that holds the ID of a server. */
  readonly identityKey: string
  /** The throw-away lock. */
  readonly lock: {
    /** Why the lock was not acquired, or has no fencing token. */
    readonly error?: string | undefined
    /** The fencing token of the lock. */
    readonly fence?: number | undefined
    /** The result of the release; undefined if the lock was not acquired. */
    readonly released?: ReleaseResult | undefined
    /** The reply of each node to an inspection of the lock, with the node's error during acquisition or release. */
    readonly nodes: readonly NodeReport[]
  }
}

const maxMessage = 200

const messageOf = (error: unknown): string => nodeError(error, undefined, maxMessage).message

/**
 * Runs the script on one node, and retries once if the connection was closed.
 *
 * @throws if the node does not reply in time.
 */
const askServer = (client: Client, index: number): Promise<ServerFacts> =>
  new Promise((resolve, reject) => {
    const { nodes, clock, prefix } = client
    const id = crypto.randomUUID()
    const timeout = cancelTimeoutOf(client)
    const controller = new AbortController()
    const cancelTimer = clock.setTimer(() => {
      reject(new Error(`no answer in ${timeout} ms`))
      controller.abort()
    }, timeout)
    const { signal } = controller
    const ask = async (): Promise<ServerFacts> => {
      const command = withLua(checkLua, { op: 'check', identity: prefix + identityKey, id })
      const reply = await nodes[index]!.run(command, { signal, serverId: index + id })
      if (reply.status !== 'checked') throw new Error('no valid reply')
      return reply.facts
    }
    const again = async (error: unknown): Promise<ServerFacts> => {
      if (isRetryable(error)) return ask()
      throw error
    }
    void ask().catch(again).then(resolve, reject).finally(cancelTimer)
  })

const kindOf = (volatile: LockNode['volatile']): NodeCheck['volatile'] =>
  volatile ? !volatile.withoutRunId || 'without-run-id' : false

const checkNode = async (client: Client, index: number): Promise<NodeCheck> => {
  const { name, volatile } = client.nodes[index]!
  const about = { node: name, volatile: kindOf(volatile) }
  try {
    // The first request also opens the connection and sends the script.
    await askServer(client, index)
    const [elapsed, begun] = [stopwatch(client.clock), client.clock.wall()]
    const server = await askServer(client, index)
    const latency = elapsed()
    const clockOffset = server.time ? Math.round(server.time - begun - latency / 2) : undefined
    return { ...about, latency: Math.round(latency), clockOffset, server }
  } catch (error) {
    return { ...about, error: messageOf(error) }
  }
}

/** Replaces foreign data in place of server IDs with numbers, which still show whether two nodes have equal data. */
const withoutForeign = (nodes: readonly NodeCheck[]): NodeCheck[] => {
  const values = [...new Set(nodes.map(({ server }) => server?.identity))]
  return nodes.map((node) => {
    const { server } = node
    if (!server?.identity || !isForeignId(server.identity)) return node
    const identity = `foreign data ${values.indexOf(server.identity) + 1}`
    return { ...node, server: { ...server, identity } }
  })
}

const checkLock = async (redlock: Redlock): Promise<Check['lock']> => {
  const key = `check:${crypto.randomUUID()}`
  // Collect node errors: a node that can grant a lock may still reject a command that a release needs.
  const errors = new Map<string, Error | undefined>()
  const client = clientOf(redlock)
  const emit = (event: LockEvent): void => {
    if (event.type === 'node-error') errors.set(event.node, event.error)
    client.emit?.(event)
  }
  // Wait for all work below, because a release does not wait for the slowest nodes.
  const works: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>): void => void works.push(work)
  const watched = redlock.withClient({ ...client, emit })
  let lock: Lock | undefined
  let fence: number | undefined
  let error: string | undefined
  try {
    lock = await watched.acquire(key, { retry: { attempts: 1 }, waitUntil })
    fence = await lock.fencingToken()
  } catch (reason) {
    error = messageOf(reason)
  }
  const { nodes: inspected } = await inspect(redlock, key)
  errors.clear()
  const released = await lock?.release()
  await Promise.all(works)
  const nodes = inspected.map((one) =>
    Object.assign({}, one, { error: one.error ?? errors.get(one.node) }),
  )
  return { error, fence, released, nodes }
}

/**
 * Reports on each node: whether it is reachable, its latency, and the state of its server. Also acquires, fences and
 * releases a throw-away lock. Sends about five requests to each node, and does not reject if a node fails.
 *
 * `diagnose` converts the report to findings, each with a fix.
 *
 * @throws `TypeError` if `redlock` is not a `Redlock`.
 * @example
 * ```ts
 * const { nodes, lock } = await check(redlock)
 * console.log(nodes.map(({ node, error, latency }) => [node, error ?? latency]), lock.error)
 * ```
 */
export const check = async (redlock: Redlock): Promise<Check> => {
  const client = clientOf(redlock)
  const nodes = withoutForeign(
    await Promise.all(client.nodes.map((_, index) => checkNode(client, index))),
  )
  return { nodes, identityKey: client.prefix + identityKey, lock: await checkLock(redlock) }
}
