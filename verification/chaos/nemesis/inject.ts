import { type ProcessName, processes } from '../campaign/settings.ts'
import { inTime } from '../clients/client-process.ts'
import type { Clients } from '../clients/clients.ts'
import type { GatewayFault } from '../nodes/gateway-faults.ts'
import type { LinkFault } from '../nodes/link.ts'
import type { Links } from '../nodes/links.ts'
import type { ChaosNode } from '../nodes/nodes.ts'
import type { Fault } from './fault.ts'

// How each fault is done to real processes, and undone.

export type World = {
  readonly nodes: readonly ChaosNode[]
  readonly links: Links
  readonly clients: Clients
}

type Deed = {
  readonly begin: (world: World, fault: Fault) => unknown
  readonly end: (world: World, fault: Fault) => unknown
}

const each = ({ nodes }: World, fault: Fault, act: (node: ChaosNode) => unknown): unknown =>
  Promise.all(fault.nodes.map((index) => act(nodes[index]!)))

const onNodes = (begin: (node: ChaosNode) => unknown, end: (node: ChaosNode) => unknown): Deed => ({
  begin: (world, fault) => each(world, fault, begin),
  end: (world, fault) => each(world, fault, end),
})

const killRedis = onNodes(
  ({ crashRedis }) => crashRedis(),
  ({ redis }) => redis.restart(),
)

const onGateway = (kind: GatewayFault['kind']): Deed => ({
  begin: (world, fault) =>
    each(world, fault, ({ setFault }) => setFault({ kind, amount: fault.amount })),
  end: (world, fault) => each(world, fault, ({ setFault }) => setFault()),
})

const onLinks = (kind: LinkFault['kind']): Deed => {
  const set = ({ links }: World, { nodes, processes: hit }: Fault, fault?: LinkFault): unknown => {
    const names = processes.flatMap(({ name }) =>
      hit.length > 0 && !hit.includes(name) ? [] : name,
    )
    return links.set(names, nodes, fault)
  }
  return {
    begin: (world, fault) => set(world, fault, { kind, amount: fault.amount }),
    end: (world, fault) => set(world, fault),
  }
}

const stepClock: Deed = {
  begin: (world, fault) => each(world, fault, ({ setClock }) => setClock(fault.amount)),
  end: (world, fault) => each(world, fault, ({ setClock }) => setClock(0)),
}

const victim = ({ processes }: Fault): ProcessName => processes[0]!

const deeds: Record<Fault['kind'], Deed> = {
  'redis killed': killRedis,
  'volatile redis killed': killRedis,
  'redis paused': onNodes(
    ({ redis }) => process.kill(redis.pid, 'SIGSTOP'),
    ({ redis }) => process.kill(redis.pid, 'SIGCONT'),
  ),
  'gateway killed': onNodes(
    (node) => node.killGateway(),
    (node) => node.restartGateway(),
  ),
  'gateway paused': onNodes(
    (node) => node.signalGateway('SIGSTOP'),
    (node) => node.signalGateway('SIGCONT'),
  ),
  'gateway errors': onGateway('gateway errors'),
  'gateway slow bodies': onGateway('gateway slow bodies'),
  'gateway runs requests twice': onGateway('gateway runs requests twice'),
  'connections reset': onLinks('connections reset'),
  delay: onLinks('delay'),
  loss: onLinks('loss'),
  partition: onLinks('partition'),
  'replies held': onLinks('replies held'),
  'clock nudged': stepClock,
  'clock leaps': stepClock,
  'client killed': {
    begin: ({ clients }, fault) => clients.get(victim(fault)).kill(),
    end: ({ clients }, fault) => clients.replace(victim(fault)),
  },
  'client paused': {
    begin: ({ clients }, fault) => clients.get(victim(fault)).pause(),
    end: ({ clients }, fault) => clients.get(victim(fault)).resume(),
  },
}

/** Waits until a client of the victim holds a lock; resolves to whether one did in time. */
export const whenHolding = (world: World, fault: Fault, limit: number): Promise<boolean> =>
  inTime(world.clients.get(victim(fault)).holding(), limit)

export const begin = async (world: World, fault: Fault): Promise<void> =>
  void (await deeds[fault.kind].begin(world, fault))
export const end = async (world: World, fault: Fault): Promise<void> =>
  void (await deeds[fault.kind].end(world, fault))
