import { type Random, randomFrom } from '../../../tools/random.ts'
import { nodes, processes, quarantine } from '../campaign/settings.ts'
import {
  abstainsAfter,
  candidates,
  drawAmount,
  drawLinks,
  persistent,
  shuffled,
  volatile,
} from './draw.ts'
import { clientFaults, type Fault, type NodeFault, nodeFaults } from './fault.ts'

// The schedule of all faults. It is drawn from the seed before anything runs, so that the same seed yields the same
// faults. Each minute has the same phases: no faults, as a baseline; faults of a minority of nodes; of a majority; of a
// minority again.

/** The phases, in ms within each minute. */
export const phases = {
  minority: [
    [8000, 41_500],
    [51_000, 57_500],
  ],
  majority: [42_500, 46_500],
} as const

/** The maximum number of affected nodes with which locks must stay available. */
export const minority = (nodes.length - 1) >> 1
// The time that a server needs to restart and clients need to reconnect, in ms.
const margin = 700

type Draft = Omit<Fault, 'id'>

const all = nodes.map((_, index) => index)

/** Draws faults of one or two nodes at a time, all kinds in turn. */
const drawMinority = (from: number, until: number, busy: number[], random: Random): Draft[] => {
  const faults: Draft[] = []
  let deck: NodeFault[] = []
  for (let at = from + random.between(0, 300); at < until; at += random.between(200, 1200)) {
    const free = all.filter((node) => busy[node]! <= at)
    if (all.length - free.length >= minority) continue
    if (deck.length === 0) deck = shuffled(nodeFaults, random)
    const length = random.between(500, 3500)
    const amounts = deck.map((kind) => drawAmount(kind, random))
    const index = deck.findIndex((kind, index) => {
      const end = at + length + abstainsAfter(kind, amounts[index]!) + margin
      return end <= until && candidates(kind).some((node) => free.includes(node))
    })
    if (index < 0) continue
    const [kind] = deck.splice(index, 1) as [NodeFault]
    const node = random.pick(candidates(kind).filter((node) => free.includes(node)))
    const amount = amounts[index]!
    const abstains = abstainsAfter(kind, amount)
    busy[node] = at + length + abstains + margin
    faults.push({
      kind,
      from: at,
      until: at + length,
      nodes: [node],
      abstains,
      processes: drawLinks(kind, random),
      amount,
    })
  }
  return faults
}

/** Draws a fault that affects a majority simultaneously, so that the remaining nodes are not a quorum. */
const drawMajority = (from: number, until: number, busy: number[], random: Random): Draft[] => {
  const kind = random.pick([
    'redis killed',
    'redis paused',
    'gateway killed',
    'gateway paused',
    'gateway errors',
    'connections reset',
    'partition',
    'replies held',
  ] as const)
  const begin = from + random.between(0, 1000)
  const shared = { from: begin, until: until - random.between(0, 1000), processes: [] }
  if (kind !== 'redis killed') {
    const hit = shuffled(all, random).slice(0, random.whole(minority + 1, all.length))
    return [{ ...shared, kind, nodes: hit, abstains: 0, amount: 1 }]
  }
  const killed: Draft = { ...shared, kind, nodes: persistent, abstains: 0, amount: 1 }
  if (random.chance(0.5)) return [killed]
  // Kills all servers. The volatile ones stay quarantined long after the others are available again.
  for (const node of volatile) busy[node] = shared.until + quarantine + margin
  const killedVolatile = { ...killed, nodes: volatile, abstains: quarantine }
  return [killed, { ...killedVolatile, kind: 'volatile redis killed' }]
}

/** Draws kills of clients that hold a lock, and pauses of such clients that are longer than the TTL. */
const drawClients = (from: number, until: number, random: Random): Draft[] => {
  const faults: Draft[] = []
  const pausable = processes.filter(({ mayPause }) => mayPause)
  const killable = processes.filter(({ clients }) => clients > 0)
  let at = from + random.between(0, 2000)
  for (let turn = random.whole(0, 1); at < until; turn++) {
    const kind = clientFaults[turn % clientFaults.length]!
    const isKill = kind === 'client killed'
    const { name } = random.pick(isKill ? killable : pausable)
    const end = Math.min(at + (isKill ? 0 : random.between(1500, 4500)), until)
    const hit = {
      from: at,
      until: end,
      nodes: [],
      abstains: 0,
      processes: [name],
      amount: random.unit(),
    }
    faults.push({ ...hit, kind })
    at = end + random.between(1500, 4500)
  }
  return faults
}

/** Draws the faults of a campaign, in order. */
export const schedule = (seed: number, minutes: number): Fault[] => {
  const random = randomFrom(seed)
  const busy = all.map(() => 0)
  const faults = Array.from({ length: minutes }, (_, minute) => {
    const start = minute * 60_000
    const [[firstFrom, firstUntil], [lastFrom, lastUntil]] = phases.minority
    const [from, until] = phases.majority
    return [
      drawMinority(start + firstFrom, start + firstUntil, busy, random),
      drawMajority(start + from, start + until, busy, random),
      drawMinority(start + lastFrom, start + lastUntil, busy, random),
      drawClients(start + firstFrom, start + lastUntil, random),
    ].flat()
  }).flat()
  faults.sort((a, b) => a.from - b.from)
  return faults.map((fault, id) => Object.assign({ id }, fault))
}
