import { Redis } from 'ioredis'

/**
 * The number of requests and commands that servers have executed. Requests are the scripts that were sent; commands
 * include those inside scripts.
 */
export type Executed = { readonly requests: number; readonly commands: number }

/** Counts what servers have executed since the watch was created. */
export type Watch = {
  /** Returns the counts so far, without the commands of this reading. */
  readonly read: () => Promise<Executed>
  /** Returns the counts once the servers are idle, because releases continue after their calls. */
  readonly settled: () => Promise<Executed>
  readonly close: () => void
}

// The time without a command after which the servers count as idle, in ms.
const quiet = 150

const isScript = (name: string): boolean => name === 'eval' || name === 'evalsha'

/** Counts the commands of the servers on these ports of the loopback interface. */
export const watchCommands = (ports: readonly number[]): Watch => {
  // Disable the ready check, which would add a command.
  const servers = ports.map((port) => new Redis(port, { enableReadyCheck: false }))
  let readings = 0
  const read = async (): Promise<Executed> => {
    const counts = { requests: 0, commands: -readings++ * servers.length }
    for (const server of servers) {
      const stats = await server.info('commandstats')
      for (const [, name, calls] of stats.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)) {
        counts.commands += Number(calls)
        if (isScript(name!)) counts.requests += Number(calls)
      }
    }
    return counts
  }
  const settled = async (): Promise<Executed> => {
    for (let last = await read(); ;) {
      await new Promise((resolve) => setTimeout(resolve, quiet))
      const now = await read()
      if (now.commands === last.commands) return now
      last = now
    }
  }
  return {
    read,
    settled,
    close: () => {
      for (const server of servers) server.disconnect()
    },
  }
}

/** The counts between two readings. */
export const between = (before: Executed, after: Executed): Executed => ({
  requests: after.requests - before.requests,
  commands: after.commands - before.commands,
})
