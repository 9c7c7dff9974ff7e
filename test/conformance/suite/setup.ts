import { expect } from 'vitest'
import {
  type LockNode,
  Redlock,
  type RedlockOptions,
  type RestNodeOptions,
} from '../../../src/index.ts'
import { systemClock } from '../../../src/util/clock.ts'
import type { Fault } from '../../support/faults.ts'
import { holders, type Server } from '../../support/nodes.ts'
import { eventually } from '../../support/eventually.ts'

/** The node of a server, with each of its requests going through the fault, if there is one. */
export type Connect = (index: number, fault: Fault | undefined) => RestNodeOptions | LockNode

/** The clients and helpers that the tests of one kind of node share. */
export type Setup = {
  /** The kind of node, in the names of the tests. */
  readonly name: string
  readonly servers: readonly Server[]
  readonly connect: Connect
  readonly isFrugal: boolean
  /** A client of all servers, without faults. */
  readonly redlock: Redlock
  /** A client of one node per fault; `undefined` is a node without a fault. */
  readonly redlockWith: (
    faults: readonly (Fault | undefined)[],
    options?: Partial<RedlockOptions>,
  ) => Redlock
  /** The values that the servers store for a lock, null where there is none. */
  readonly storedValues: (key: string) => Promise<unknown[]>
  readonly expectNoneStored: (key: string) => Promise<void>
  readonly expectOnAllNodes: (key: string) => Promise<void>
}

/** Faults of five nodes: the first `count` have this one, the others have none. */
export const fiveNodes = (fault?: Fault, count = 0): (Fault | undefined)[] =>
  Array.from({ length: 5 }, (_, index) => (index < count ? fault : undefined))

/** A clock that stands still, and a fault that advances it once a request has been answered. */
export const manualClock = () => {
  let now = 0
  const clock = { ...systemClock, wall: () => now, monotonic: () => now }
  const late =
    (time: number): Fault =>
    async (_, send) => {
      const response = await send()
      now += time
      return response
    }
  return { clock, late }
}

export const setUp = (
  name: string,
  servers: readonly Server[],
  connect: Connect,
  common: Partial<RedlockOptions>,
): Setup => {
  const redlockWith: Setup['redlockWith'] = (faults, options = {}) =>
    new Redlock({
      nodes: faults.map((fault, index) => connect(index, fault)),
      ...common,
      ...options,
    })
  const storedValues = (key: string): Promise<unknown[]> => holders(servers, `lock:l:${key}`)
  return {
    name,
    servers,
    connect,
    isFrugal: common.strategy === 'frugal',
    // A busy machine answers late.
    redlock: redlockWith(fiveNodes(), { nodeTimeout: 10_000 }),
    redlockWith,
    storedValues,
    expectNoneStored: (key) =>
      eventually(async () =>
        expect(await storedValues(key)).toEqual([null, null, null, null, null]),
      ),
    expectOnAllNodes: (key) =>
      eventually(async () => expect(await storedValues(key)).not.toContain(null)),
  }
}
