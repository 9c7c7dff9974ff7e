import type { LockEvent } from '../../../src/index.ts'
import { wakingReleaseScript } from '../../../src/redis/scripts/waking-release-script.ts'
import type { MemoryEntry } from '../../../src/memory/memory-server.ts'
import type { Bar, Message } from '../recording.ts'
import { clientIn, isAnswer, nameClient, nameNodes, purposeOf, readReply } from './words.ts'

/** A message, with its command as long as no node has executed that. */
type Note = Message & { command?: string | undefined }
type Sending = { readonly at: number; readonly who: string; readonly purpose: string }

/** What events of the library mean to the client: what it does from then on, and a sentence. */
const meanings: Partial<Record<LockEvent['type'], readonly [label: string, text: string]>> = {
  acquired: ['holds', 'has a majority and holds the lock'],
  rejected: ['rejected', 'is rejected'],
  waiting: ['waits', 'waits'],
  lost: ['lost', 'learns that its lock has expired'],
}

/** Takes down what happens in a world. All times are in ms since its beginning. */
export const makeNotes = (now: () => number) => {
  const messages: Note[] = []
  const bars: Bar[] = []
  const said: { at: number; text: string }[] = []
  const sendings = new Map<string, Sending & { readonly nodes: number[] }>()
  /** The bars that go on, by what they are about. */
  const open = new Map<string, Bar>()

  const say = (text: string, at = now()): void => {
    said.push({ at, text: `${text[0]!.toUpperCase()}${text.slice(1)}.` })
  }
  const end = (name: string): void => {
    const bar = open.get(name)
    open.delete(name)
    if (!bar) return
    const hasExpired = bar.to < now()
    if (hasExpired) say(`the lock of ${bar.label} expires on ${nameNodes([bar.index])}`, bar.to)
    else bar.to = now()
    // A bar without a length is not drawn.
    if (bar.from === now()) bars.splice(bars.indexOf(bar), 1)
  }
  const begin = (name: string, bar: Omit<Bar, 'from' | 'to'>, to = Infinity): void => {
    end(name)
    const begun = { ...bar, from: now(), to }
    bars.push(begun)
    open.set(name, begun)
  }
  /** The client is in this state from now on. */
  const state = (client: number, label: string): void =>
    begin(`c${client}`, { lane: 'client', index: client, client, label, slot: 0 })

  return {
    messages,
    bars,
    say,
    state,
    /** The sentences about the scene so far. */
    told: () => {
      const silent = messages.filter(({ command, there }) => command && there && there < now())
      for (const { to, there } of silent) say(`${nameNodes([to])} keeps silent`, there)
      for (const { at, who, purpose, nodes } of sendings.values()) {
        say(`${who} ${purpose.replace('NODES', nameNodes(nodes))}`, at)
      }
      return said.toSorted((a, b) => a.at - b.at)
    },
    /** A node is sick from now on. */
    sick: (node: number, label: string): void =>
      begin(`sick ${node}`, { lane: 'node', index: node, client: -1, label, slot: 0 }),
    /** A client sends a request, which takes so many ms on its way if it leaves at all. */
    sent: (client: number, to: number, command: string | undefined, way: number | undefined) => {
      const sending = { at: now(), who: nameClient(client), purpose: purposeOf(command) }
      const name = JSON.stringify(sending)
      if (!sendings.has(name)) sendings.set(name, { ...sending, nodes: [] })
      sendings.get(name)!.nodes.push(to)
      const note: Note = { client, to, answer: 'none', sent: now(), command }
      if (way !== undefined) note.there = now() + way
      messages.push(note)
      return note
    },
    executed: (node: number, words: readonly string[], body: string): void => {
      const command = JSON.stringify(words)
      const note = messages.find((one) => one.to === node && one.command === command)!
      const { result } = JSON.parse(body) as { result: unknown }
      const [answer, text] = readReply(command, result, nameClient(note.client))
      Object.assign(note, { command: undefined, there: now(), answer })
      if (text) say(`${nameNodes([node])} ${text}`)
    },
    /** A node sends a message over a stream, which is news only when a lock is released. */
    pushed: (node: number, client: number, way: number, script: string): void => {
      if (script !== wakingReleaseScript.sha) return
      messages.push({ client, to: node, answer: 'wakes', there: now(), back: now() + way })
      say(`${nameNodes([node])} wakes ${nameClient(client)} by a message`)
    },
    answered: (note: Note): void => {
      note.back = now()
      if (note.answer === 'none') note.answer = 'asked'
    },
    /** A client cannot reach a node. */
    failed: (note: Note): void => {
      delete note.command
      note.there ??= (note.sent! + now()) / 2
      say(`${nameClient(note.client)} cannot reach ${nameNodes([note.to])}`)
    },
    /** Looks at the locks on a node, which expire by a clock whose beginning this is. */
    look: (node: number, entries: ReadonlyMap<string, MemoryEntry>, epoch: number): void => {
      const found = [...entries].filter(([key]) => /^lock:[lr]:/.test(key))
      const keys = new Map(found.map(([key, entry]) => [`${node} ${key}`, entry]))
      for (const name of open.keys()) {
        if (name.startsWith(`${node} `) && !keys.has(name)) end(name)
      }
      for (const [name, { value, expiresAt }] of keys) {
        const client = clientIn(value)
        const label = isAnswer(value) ? 'answer' : nameClient(client)
        const slot = Number(/#(\d)$/.exec(name)?.[1] ?? 1) - 1
        const to = expiresAt - epoch
        const bar = open.get(name)
        if (bar?.label === label && bar.to > now()) bar.to = to
        else begin(name, { lane: 'node', index: node, client, label, slot }, to)
      }
    },
    event: (client: number, { type }: LockEvent): void => {
      const [label, text] = meanings[type] ?? []
      if (label) state(client, label)
      if (text) say(`${nameClient(client)} ${text}`)
    },
  }
}

export type Notes = ReturnType<typeof makeNotes>
