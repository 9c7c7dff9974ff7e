import { inspect, Redlock } from '../../../src/index.ts'
import { randomFrom } from '../../../tools/random.ts'
import { makeEventLoop } from '../../../verification/simulation/engine/event-loop.ts'
import { makeTrace } from '../../../verification/simulation/engine/trace.ts'
import { type Action, inOrder, type NodeFault } from './actions.ts'
import { type Client, makeClient, type World } from './client.ts'
import { makeNetwork } from './network.ts'
import { makeRecorder } from './recorder.ts'
import type { Recording } from './recording.ts'
import { lockedKey, startServers } from './servers.ts'
import { makeSettle } from './settle.ts'
import { maxClients, type Settings } from './settings.ts'
import { makeStore } from './store.ts'

// A new volatile node abstains until locks that it may have forgotten have expired. The run begins
// after that, in ms of the world.
const begin = 20_000

// No run takes longer, in ms.
const longest = 120_000

// Ms that are shown after the last event.
const tail = 40

/**
 * Runs the client in virtual time, and returns what happened. The same settings give the same
 * recording. An action at the end of `settings.actions` changes nothing before its time.
 */
export const run = async (settings: Settings): Promise<Recording> => {
  const { settled, close } = makeSettle()
  const loop = makeEventLoop(randomFrom(settings.seed), makeTrace(false), settled)
  const now = (): number => loop.now() - begin
  const recorder = makeRecorder(now)
  const servers = startServers(loop.now, settings)
  const network = makeNetwork(loop, settings, servers, recorder)
  const store = makeStore(network, recorder)
  const world: World = { loop, network, store, recorder, settings }
  const clients: Client[] = []
  const errors: unknown[] = []
  let expected = 0
  let working = 0

  const click = (): boolean => {
    if (clients.length >= maxClients) return false
    const client = makeClient(world, clients.length)
    clients.push(client)
    working++
    const end = (): void => void working--
    client.click().then(end, (error: unknown) => errors.push(error))
    return true
  }
  const suffer = (node: number, fault: NodeFault): boolean => {
    const { suffer, state } = servers[node]!
    suffer(fault)
    recorder.node(node, state())
    return true
  }
  /** Returns whether it had an effect. */
  const act = (action: Action): boolean => {
    if (action.kind === 'click') return click()
    if (action.kind === 'pause') return clients[action.client]?.pause(action.time) ?? false
    return suffer(action.node, action.kind)
  }
  const expect = (at: number, happen: () => void): void => {
    expected++
    loop.after(begin + at - loop.now(), () => {
      expected--
      loop.wake()
      happen()
    })
  }
  const isOver = (): boolean => errors.length > 0 || expected + working + network.underWay() === 0

  try {
    const nodes = servers.map(({ node }) => node)
    const setTimer = (callback: () => void, delay: number) => loop.after(delay, callback)
    const clock = { wall: loop.now, monotonic: loop.now, setTimer }
    await inspect(new Redlock({ nodes, advanced: { clock } }), lockedKey)
    await loop.runUntil(begin)
    for (const [index, { state }] of servers.entries()) recorder.node(index, state())
    for (const action of inOrder(settings.actions)) {
      expect(action.at, () => {
        if (act(action)) recorder.fact({ type: 'action', action })
      })
    }
    for (let index = 0; index < settings.clients; index++) expect(index * settings.gap, click)
    await loop.runUntil(begin + longest, isOver)
  } finally {
    close()
  }
  if (errors.length > 0) throw errors[0]
  const end = now() + tail
  return { settings, clients: clients.length, end, ...toRunTime(recorder.recorded()) }
}

/** Moves the times that the servers tell to those of the run. */
const toRunTime = (recorded: Omit<Recording, 'settings' | 'clients' | 'end'>): typeof recorded => ({
  ...recorded,
  nodes: recorded.nodes.map((state) => ({
    ...state,
    slots: state.slots.map((slot) => ({ ...slot, expiresAt: slot.expiresAt - begin })),
    abstainsUntil: state.abstainsUntil - begin,
  })),
})
