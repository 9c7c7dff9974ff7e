import { DurableObject } from 'cloudflare:workers'
import type { MemoryServer } from '../memory/memory-server.ts'
import { runCommand } from '../memory/run-command.ts'
import { objectProduct } from '../protocol/check-reply.ts'
import { commandVersion } from '../protocol/command-version.ts'
import type { Reply } from '../protocol/reply.ts'
import { type Channels, openChannels } from './channels.ts'
import type { ObjectRequest } from './durable-object-nodes.ts'
import { storedKeys, sweep } from './stored-keys.ts'

/** The minimum time between two sweeps of expired keys, in ms. */
const minSweepInterval = 600_000

/**
 * The time until the next sweep, in ms. It is partly random, so that the objects of one set do not sweep at the same
 * moment.
 */
const sweepInterval = (): number => minSweepInterval * (1 + Math.random() / 4)

/** The channel in a URL path; empty or undefined if there is none. */
const channelOf = (path: string): string | undefined => {
  const [, channel = ''] = /^\/subscribe\/([^/]+)$/.exec(path) ?? []
  try {
    return decodeURIComponent(channel)
  } catch {
    return undefined
  }
}

/**
 * A Durable Object that votes like a Redis server. Export this class from your Worker, declare SQLite as its storage,
 * and bind a namespace to it. {@link durableObjectNodes} creates nodes from that namespace.
 *
 * Locks, counters and records survive evictions and deployments, so these nodes are never `volatile`. An alarm removes
 * expired keys, at most once every ten minutes.
 *
 * @example
 * ```ts
 * export { RedlockNode } from 'edge-redlock/durable-object'
 * ```
 */
export class RedlockNode extends DurableObject {
  readonly #server: MemoryServer = {
    entries: storedKeys(this.ctx.storage.kv, Date.now),
    // The clock of an object does not advance during an event, so the time is constant within a command.
    now: Date.now,
    // An object keeps its keys across restarts, so a restart does not count as a new run.
    run: () => `run_id:${this.ctx.id.toString()}`,
    product: objectProduct,
    publish: (channel, message) => this.#channels.publish(channel, message),
  }
  readonly #channels: Channels = openChannels()
  /** Whether the next sweep is scheduled. */
  #isSweepSet = false

  /**
   * Runs a command. Called by the nodes that {@link durableObjectNodes} creates.
   *
   * @throws if this deployment of the class does not support the command or its version.
   */
  async run({ version, command, serverId }: ObjectRequest): Promise<Reply> {
    // A deployment with another version could interpret the command differently.
    if (version !== commandVersion) throw new Error(`The object has version ${commandVersion}`)
    // The transaction makes all writes, or none. The runtime sends the reply only after the writes are on disk.
    const reply = this.ctx.storage.transactionSync(() =>
      runCommand(this.#server, command, serverId),
    )
    await this.#setSweep()
    return reply
  }

  /** Opens the stream of a waiter at `/subscribe/CHANNEL`. Used by `withWakeUp`. */
  fetch(request: Request): Response {
    const channel = channelOf(new URL(request.url).pathname)
    if (!channel) return new Response(null, { status: 404 })
    const stream = this.#channels.subscribe(channel)
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Removes the expired keys. Called by the runtime. */
  async alarm(): Promise<void> {
    this.#isSweepSet = false
    let isExpiring = false
    for (let last: string | undefined; ;) {
      const page = sweep(this.ctx.storage.kv, Date.now(), last)
      isExpiring ||= page.isExpiring
      last = page.last
      if (last === undefined) break
      // Lets other requests run between two pages.
      await new Promise((resolve) => setTimeout(resolve))
    }
    if (isExpiring) await this.#setSweep()
  }

  async #setSweep(): Promise<void> {
    if (this.#isSweepSet) return
    this.#isSweepSet = true
    const { storage } = this.ctx
    try {
      if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + sweepInterval())
    } catch {
      // The next command tries to schedule the sweep again.
      this.#isSweepSet = false
    }
  }
}
