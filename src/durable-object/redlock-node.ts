import { DurableObject } from 'cloudflare:workers'
import type { MemoryServer } from '../memory/memory-server.ts'
import { runCommand } from '../memory/run-command.ts'
import { objectProduct } from '../protocol/check-reply.ts'
import { commandVersion } from '../protocol/command-version.ts'
import type { Reply } from '../protocol/reply.ts'
import { type Channels, openChannels } from './channels.ts'
import type { ObjectRequest } from './durable-object-nodes.ts'
import { storedKeys, sweep } from './stored-keys.ts'

/** The least ms between two sweeps of the keys that have expired. */
const minSweepInterval = 600_000

/** Ms until the next sweep. The objects of one set must not sweep at the same moment. */
const sweepInterval = (): number => minSweepInterval * (1 + Math.random() / 4)

/** The channel that a path names, if it does. */
const channelOf = (path: string): string | undefined => {
  const [, channel = ''] = /^\/subscribe\/([^/]+)$/.exec(path) ?? []
  try {
    return decodeURIComponent(channel)
  } catch {
    return undefined
  }
}

/**
 * A Durable Object that votes as a Redis server does. Export it from your Worker, and bind a namespace to it
 * whose class has SQLite storage. {@link durableObjectNodes} makes nodes of that namespace.
 *
 * Its storage is durable, so it is never `volatile`: locks, counters and records outlive an eviction and a
 * deployment. An alarm removes keys that have expired, at most once in ten minutes.
 *
 * @example
 * ```ts
 * export { RedlockNode } from 'edge-redlock/durable-object'
 * ```
 */
export class RedlockNode extends DurableObject {
  readonly #server: MemoryServer = {
    entries: storedKeys(this.ctx.storage.kv, Date.now),
    // The clock of an object stands still during an event, so that a script sees one time.
    now: Date.now,
    // It keeps its keys when it restarts, which is then no new run.
    run: () => `run_id:${this.ctx.id.toString()}`,
    product: objectProduct,
    publish: (channel, message) => this.#channels.publish(channel, message),
  }
  readonly #channels: Channels = openChannels()
  /** Whether the next sweep is certain. */
  #isSweepSet = false

  /**
   * Runs a command. For the nodes of {@link durableObjectNodes}.
   *
   * @throws when this deployment of the class does not know the command, or its version.
   */
  async run({ version, command, serverId }: ObjectRequest): Promise<Reply> {
    // An object of another deployment must not run its own idea of the command.
    if (version !== commandVersion) throw new Error(`The object has version ${commandVersion}`)
    // All of its writes, or none. The reply leaves the object once they are on disk.
    const reply = this.ctx.storage.transactionSync(() =>
      runCommand(this.#server, command, serverId),
    )
    await this.#setSweep()
    return reply
  }

  /** Opens the stream of a waiter: `/subscribe/CHANNEL`. For `withWakeUp`. */
  fetch(request: Request): Response {
    const channel = channelOf(new URL(request.url).pathname)
    if (!channel) return new Response(null, { status: 404 })
    const stream = this.#channels.subscribe(channel)
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }

  /** Removes the keys that have expired. The runtime calls it. */
  async alarm(): Promise<void> {
    this.#isSweepSet = false
    let isExpiring = false
    for (let last: string | undefined; ;) {
      const page = sweep(this.ctx.storage.kv, Date.now(), last)
      isExpiring ||= page.isExpiring
      last = page.last
      if (last === undefined) break
      // Requests come in between two pages.
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
      // The next call sets it.
      this.#isSweepSet = false
    }
  }
}
