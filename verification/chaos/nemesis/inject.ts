import { type ProcessName, processes } from '../campaign/settings.ts'
import { inTime } from '../clients/client-process.ts'
import type { Clients } from '../clients/clients.ts'
import type { GatewayFault } from '../nodes/gateway-faults.ts'
import type { LinkFault } from '../nodes/link.ts'
import type { Links } from '../nodes/links.ts'
import type { ChaosNode } from '../nodes/nodes.ts'
import type { Fault } from './fault.ts'

// Injects and ends each kind of fault.

/** The targets of faults. */
export type Targets = {
  readonly nodes: readonly ChaosNode[]
  readonly links: Links
  readonly clients: Clients
}

type Injection = {
  readonly begin: (targets: Targets, fault: Fault) => unknown
  readonly end: (targets: Targets, fault: Fault) => unknown
}

const each = ({ nodes }: Targets, fault: Fault, act: (node: ChaosNode) => unknown): unknown =>
  Promise.all(fault.nodes.map((index) => act(nodes[index]!)))

const onNodes = (
  begin: (node: ChaosNode) => unknown,
  end: (node: ChaosNode) => unknown,
): Injection => ({
  begin: (targets, fault) => each(targets, fault, begin),
  end: (targets, fault) => each(targets, fault, end),
})

const killRedis = onNodes(
  ({ crashRedis }) => crashRedis(),
  ({ redis }) => redis.restart(),
)

const onGateway = (kind: GatewayFault['kind']): Injection => ({
  begin: (targets, fault) =>
    each(targets, fault, ({ setFault }) => setFault({ kind, amount: fault.amount })),
  end: (targets, fault) => each(targets, fault, ({ setFault }) => setFault()),
})

const onLinks = (kind: LinkFault['kind']): Injection => {
  const set = (
    { links }: Targets,
    { nodes, processes: hit }: Fault,
    fault?: LinkFault,
  ): unknown => {
    const names = processes.flatMap(({ name }) =>
      hit.length > 0 && !hit.includes(name) ? [] : name,
    )
    return links.set(names, nodes, fault)
  }
  return {
    begin: (targets, fault) => set(targets, fault, { kind, amount: fault.amount }),
    end: (targets, fault) => set(targets, fault),
  }
}

const stepClock: Injection = {
  begin: (targets, fault) => each(targets, fault, ({ setClock }) => setClock(fault.amount)),
  end: (targets, fault) => each(targets, fault, ({ setClock }) => setClock(0)),
}

const victim = ({ processes }: Fault): ProcessName => processes[0]!

const injections: Record<Fault['kind'], Injection> = {
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
  'clock jumps': stepClock,
  'client killed': {
    begin: ({ clients }, fault) => clients.get(victim(fault)).kill(),
    end: ({ clients }, fault) => clients.replace(victim(fault)),
  },
  'client paused': {
    begin: ({ clients }, fault) => clients.get(victim(fault)).pause(),
    end: ({ clients }, fault) => clients.get(victim(fault)).resume(),
  },
}

/** Waits until a client of the victim holds a lock. Resolves to whether this happened within the limit. */
export const whenHolding = (targets: Targets, fault: Fault, limit: number): Promise<boolean> =>
  inTime(targets.clients.get(victim(fault)).holding(), limit)

export const begin = async (targets: Targets, fault: Fault): Promise<void> =>
  void (await injections[fault.kind].begin(targets, fault))
export const end = async (targets: Targets, fault: Fault): Promise<void> =>
  void (await injections[fault.kind].end(targets, fault))
