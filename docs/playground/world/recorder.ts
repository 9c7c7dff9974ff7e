import type {
  ClientState,
  Fact,
  Hold,
  Message,
  NodeState,
  Phase,
  Recording,
  StoreState,
} from './recording.ts'

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never

/** Writes down what happens in a run. `now` reads the ms since it began. */
export const makeRecorder = (now: () => number) => {
  const messages: Message[] = []
  const nodes: NodeState[] = []
  const store: StoreState[] = []
  const phases: ClientState[] = []
  const holds: Hold[] = []
  const facts: Fact[] = []
  const fact = (what: WithoutTime<Fact>): void => void facts.push({ at: now(), ...what })
  return {
    now,
    fact,
    sent: (message: Omit<Message, 'sentAt'>): Message => {
      const sent = { ...message, sentAt: now() }
      messages.push(sent)
      return sent
    },
    node: (node: number, state: Omit<NodeState, 'at' | 'node'>): void =>
      void nodes.push({ at: now(), node, ...state }),
    stored: (writer: number, token: number): void => void store.push({ at: now(), writer, token }),
    phase: (client: number, phase: Phase): void => void phases.push({ at: now(), client, phase }),
    /** The phase of a client. */
    phaseOf: (client: number): Phase | undefined =>
      phases.findLast((state) => state.client === client)?.phase,
    holds: (client: number, slot: number, expiresIn: number): Hold => {
      const hold = { client, slot, from: now(), to: now() + expiresIn }
      holds.push(hold)
      return hold
    },
    /** The recording so far. */
    recorded: (): Pick<
      Recording,
      'messages' | 'nodes' | 'store' | 'phases' | 'holds' | 'facts'
    > => ({ messages, nodes, store, phases, holds, facts }),
  }
}

export type Recorder = ReturnType<typeof makeRecorder>
