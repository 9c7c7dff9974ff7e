import { nearDistance } from '../engine/distance.ts'
import type { EventLoop } from '../engine/event-loop.ts'
import { buildScenario } from './build-scenario.ts'
import { calm, type FaultRates } from './fault-rates.ts'
import type { Scenario } from './scenario.ts'

// Histories about one record on the nodes, with faulty nodes, a network that loses and duplicates messages, and
// processes that pause.

/** The kind of record. The names of profiles and of covered events include it. */
export type RecordKind = 'requests' | 'once'

const drawRates = ({ random }: EventLoop, kind: RecordKind): FaultRates => {
  const rate = (max: number): number => (random.chance(0.5) ? 0 : random.between(0, max))
  const network = {
    requestLost: rate(0.15),
    replyLost: rate(0.15),
    duplicated: rate(0.15),
    slow: rate(0.1),
    refused: rate(0.1),
    reset: rate(0.15),
    cuts: rate(2),
    hangs: rate(1),
  }
  const profile = random.pick(['calm', 'sick nodes', 'network', 'pauses', 'all'] as const)
  const hasNetwork = profile === 'network' || profile === 'all'
  const hasPauses = profile === 'pauses' || profile === 'all'
  return {
    ...calm,
    ...(hasNetwork && network),
    ...(hasPauses && { pauses: random.between(0.5, 4) }),
    profile: `${kind}, ${profile}`,
    drift: rate(1),
    skew: rate(100),
  }
}

/** Whether crashes of processes are the only faults. */
export const isCalm = ({ profile }: FaultRates): boolean => profile.endsWith('calm')

/** Whether the only faults are crashes of processes and a faulty minority of the nodes. */
export const isSteady = (rates: FaultRates): boolean =>
  isCalm(rates) || rates.profile.endsWith(', sick nodes')

export const drawRecords = (loop: EventLoop, kind: RecordKind, key: string): Scenario => {
  const { random } = loop
  const rates = drawRates(loop, kind)
  const ttl = random.pick([100, 200, 1_000])
  const distance = Math.min(6, ttl / 40)
  return buildScenario(loop, {
    rates: { ...rates, distance },
    count: random.pick([3, 3, 3, 5, 5, 4]),
    distance: nearDistance(distance / 5, distance),
    keys: [key],
    maxTtl: ttl,
    options: {
      ttl,
      driftFactor: random.pick([0.01, 0.01, 0.1]),
      nodeTimeout: random.pick([undefined, 50]),
      retry: { delay: 2, maxDelay: random.pick([10, 40]) },
      localQueue: random.chance(0.5),
    },
    checksForSecrets: false,
  })
}
