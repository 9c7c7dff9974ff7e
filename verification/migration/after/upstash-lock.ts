import { Redlock, withKeyNames } from '../../../src/index.ts'

type Database = { url: string; token: string }

export const runReport = async (nodes: Database[], make: () => Promise<string>) => {
  const advanced = { quorum: nodes.length } // in deployment 2 only
  const redlock = withKeyNames(new Redlock({ nodes, advanced }), (key) => key)
  return redlock.using('report', { ttl: 5_000, wait: 500 }, make)
}
