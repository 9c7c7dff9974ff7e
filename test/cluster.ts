import type { TestProject } from 'vitest/node'
import { type Cluster, startCluster } from '../tools/servers/cluster.ts'

declare module 'vitest' {
  // Vitest reads what `inject` may return from this interface.
  interface ProvidedContext {
    /** Five real Redis servers behind gateways, as a JSON array of `{ url, token }`. */
    REDLOCK_NODES: string
    /** The ports of these servers, for clients over TCP. */
    REDIS_PORTS: number[]
  }
}

let cluster: Cluster | undefined

/** Starts one cluster for all projects. Fails without real servers: the embedded engine proves nothing. */
export const setup = async (project: TestProject): Promise<void> => {
  cluster = await startCluster({ count: 5 })
  if (cluster.engine === 'ioredis-mock') {
    await teardown()
    throw new Error('The tests need redis-server or valkey-server on PATH: npm run pretest')
  }
  project.provide('REDLOCK_NODES', cluster.env.REDLOCK_NODES)
  project.provide(
    'REDIS_PORTS',
    cluster.nodes.map(({ redis }) => redis!.port),
  )
}

export const teardown = async (): Promise<void> => {
  await cluster?.close()
}
