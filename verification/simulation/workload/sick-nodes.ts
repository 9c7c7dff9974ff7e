import type { Random } from '../../../tools/random.ts'
import type { Sickness } from '../engine/health.ts'
import type { Server } from '../engine/server.ts'
import type { Scenario } from './scenario.ts'

/** The faults of a node. A node that flaps hangs intermittently. A node that is cut off hangs for some processes. */
export const allAilments = [
  'hangs',
  'is late',
  'flaps',
  'refuses',
  'rejects',
  'is cut off',
] as const
export type Ailment = (typeof allAilments)[number]

/** Whether nodes with these faults can reply later than others. This includes nodes that have recovered from a hang. */
export const answersLate = (ailments: readonly Ailment[]): boolean =>
  ailments.some((ailment) => ailment === 'is late' || ailment === 'flaps' || ailment === 'hangs')

/** The faulty nodes of a history. */
export type SickNodes = {
  /** By the name of the server. */
  readonly ailments: ReadonlyMap<string, Ailment>
  /** Makes another server faulty. */
  readonly strike: (server: Server, ailment: Ailment) => void
  readonly cure: (server: Server) => void
  readonly cureAll: () => void
}

const drawHang = (random: Random): Sickness => ({
  kind: 'hangs',
  executes: random.pick(['never', 'at once', 'later']),
})

const drawLateness = (random: Random): Sickness => {
  // Delays in the first range are about as long as clients wait for a late node. The other ranges are relative to the head
  // start of the node that is contacted first: below it, above it, and around it.
  const time = random.pick([
    random.between(5, 60),
    random.between(20, 100),
    random.between(100, 400),
    random.between(230, 290),
  ])
  const share = random.pick([0, 0.5, 1])
  const spread = random.pick([0, 0.5])
  return { kind: 'is late', there: time * share, back: time * (1 - share), spread }
}

export const makeSickNodes = ({ loop, network: { health } }: Scenario): SickNodes => {
  const { random, after } = loop
  const ailing = new Map<string, Ailment>()

  const flap = (name: string, sickness: Sickness, isSick: boolean): void => {
    if (ailing.get(name) !== 'flaps') return
    if (isSick) health.strike(name, sickness)
    else health.cure(name)
    after(random.between(50, 300), () => flap(name, sickness, !isSick))
  }
  /** Creates a function that returns whether a process is cut off. It draws this once per process. */
  const drawCut = (): ((process: string) => boolean) => {
    const cutOff = new Map<string, boolean>()
    return (process) => {
      const isCutOff = cutOff.get(process) ?? random.chance(0.5)
      cutOff.set(process, isCutOff)
      return isCutOff
    }
  }
  const begin = (name: string, ailment: Ailment): void => {
    if (ailment === 'hangs') health.strike(name, drawHang(random))
    else if (ailment === 'is late') health.strike(name, drawLateness(random))
    else if (ailment === 'flaps') flap(name, drawHang(random), random.chance(0.5))
    else if (ailment === 'refuses') health.strike(name, { kind: 'refuses' })
    else if (ailment === 'rejects') {
      health.strike(name, { kind: 'rejects', executes: random.chance(0.5) })
    } else health.strike(name, { kind: 'hangs', executes: 'never' }, drawCut())
  }
  const cure = (name: string): void => {
    ailing.delete(name)
    health.cure(name)
  }
  return {
    ailments: ailing,
    strike: ({ name }, ailment) => {
      ailing.set(name, ailment)
      begin(name, ailment)
    },
    cure: ({ name }) => cure(name),
    cureAll: () => [...ailing.keys()].forEach(cure),
  }
}

/** Draws which servers will be faulty. At least a quorum stays healthy. */
export const drawMinority = ({ loop: { random }, servers, quorum }: Scenario): Server[] => {
  const spare = servers.length - quorum
  const left = [...servers]
  const count = random.chance(0.6) ? 1 : random.whole(1, spare)
  return Array.from({ length: Math.min(count, spare) }, () => {
    // Often choose the first node, which matters most: clients contact it first, and its holder leads.
    const index = random.chance(0.3) ? 0 : random.whole(0, left.length - 1)
    return left.splice(index, 1)[0]!
  })
}

/** A minority of servers that is faulty, or becomes faulty. */
export type Minority = {
  readonly sick: SickNodes
  /** The faults of the minority, in the order in which they were drawn. */
  readonly ailments: readonly Ailment[]
  readonly has: (server: string) => boolean
}

export const noneSick = (scenario: Scenario): Minority => ({
  sick: makeSickNodes(scenario),
  ailments: [],
  has: () => false,
})

/** Makes a minority of the servers faulty: from the beginning or a little later, permanently or for a while. */
export const strikeMinority = (scenario: Scenario): Minority => {
  const { random, after } = scenario.loop
  const sick = makeSickNodes(scenario)
  const servers = drawMinority(scenario)
  const ailments = servers.map((server) => {
    const ailment = random.pick(allAilments)
    const strike = (): void => sick.strike(server, ailment)
    if (random.chance(0.2)) after(random.between(0, 60), strike)
    else strike()
    if (random.chance(0.1)) after(random.between(60, 1_500), () => sick.cure(server))
    return ailment
  })
  return { sick, ailments, has: (name) => servers.some((server) => server.name === name) }
}
