import { setTimeout as pause } from 'node:timers/promises'
import {
  applyCommand,
  type Command,
  keysOf,
  type LockNode,
  type Reply,
  type Row,
} from 'edge-redlock/custom-node'
import type { TestNodeOptions } from '../../src/entries/testing.ts'
import { quarantine } from '../../src/index.ts'
import { type Fault, type Rows, storeNode, writeTo } from './store-node.ts'

// Nodes that break one promise each, and the test that must notice it.

/** A node to test, with more connections and a restart. */
export type Subject = TestNodeOptions & { readonly node: LockNode }

type Broken = readonly [name: string, noticed: RegExp, make: () => Subject]

const isFence = (key: string): boolean => key.includes(':f:')
const isLock = (key: string): boolean => key.includes(':l:')

/** A sound store: more connections to the same rows, and a restart that keeps what `keeps` says. */
export const subjectOf = (
  fault: Fault = {},
  keeps: (key: string) => boolean = () => true,
): Subject => {
  const rows: Rows = new Map()
  return {
    node: storeNode(rows, fault),
    connect: () => storeNode(rows, fault),
    restart: () => storeNode(new Map([...rows].filter(([key]) => keeps(key))), fault),
  }
}

const faulty = (name: string, noticed: RegExp, fault: Fault): Broken => [
  name,
  noticed,
  () => subjectOf(fault),
]

/** With a fresh fault for each test, as it remembers something. */
const stateful = (name: string, noticed: RegExp, make: () => Fault): Broken => [
  name,
  noticed,
  () => subjectOf(make()),
]

const forgetful = (name: string, noticed: RegExp, isLost: (key: string) => boolean): Broken => [
  name,
  noticed,
  () => subjectOf({}, (key) => !isLost(key)),
]

/** The rows without some of them. */
const without = (rows: Rows, isHidden: (key: string, row: Row) => boolean): Rows =>
  new Map([...rows].filter(([key, row]) => !isHidden(key, row)))

/** Rewrites the counters of fences, and that of the reply. */
const counting = (rewrite: (counter: number, before: number) => number): Fault => {
  let written: number | undefined
  return {
    change: (changes, _, rows) => {
      written = undefined
      for (const [key, row] of changes) {
        if (!row || !isFence(key)) continue
        const [counter = '', ...value] = row.value.split(' ')
        const before = Number(rows.get(key)?.value.split(' ')[0] ?? 0)
        written = rewrite(Number(counter), before)
        changes.set(key, { ...row, value: [written, ...value].join(' ') })
      }
    },
    reply: (reply) =>
      reply.status === 'granted' && written !== undefined ? { ...reply, counter: written } : reply,
  }
}

/** Waits between reading and writing. @param isSerial - Whether one connection runs one command at a time. */
const slowNode = (rows: Rows, isSerial: boolean): LockNode => {
  let last: Promise<unknown> = Promise.resolve()
  const run: LockNode['run'] = async (command, options) => {
    const read = new Map(
      keysOf(command).flatMap((key) => (rows.has(key) ? [[key, rows.get(key)!]] : [])),
    )
    await pause(0)
    const { reply, changes } = applyCommand(command, read, { ...options, now: Date.now() })
    writeTo(rows, changes)
    return reply
  }
  return {
    name: 'slow',
    run: (...call) => {
      if (!isSerial) return run(...call)
      const turn = last.then(() => run(...call))
      last = turn.catch(() => {})
      return turn
    },
  }
}

/** Locks the keys in the order of the command, so that two commands wait for each other. */
const deadlocking = (): Fault => {
  const tails = new Map<string, Promise<void>>()
  return {
    run: (run) => async (command, options) => {
      const ends: (() => void)[] = []
      for (const key of 'keys' in command ? command.keys : []) {
        const before = tails.get(key)
        tails.set(key, new Promise((resolve) => ends.push(resolve)))
        await before
        await pause(1)
      }
      try {
        return await run(command, options)
      } finally {
        for (const end of ends) end()
      }
    },
  }
}

/** Replies before the write is durable, which the restart does not wait for. */
const lazy = (): Subject => {
  const [rows, disk]: Rows[] = [new Map(), new Map()]
  return {
    node: storeNode(rows!, {
      change: (changes) => {
        const saved = [...changes]
        setTimeout(() => writeTo(disk!, saved), 20)
      },
    }),
    restart: () => storeNode(new Map(disk)),
  }
}

/** Gives up while another command runs, instead of trying again. */
const impatient = (): Fault => {
  let running = 0
  return {
    run: (run) => async (command, options) => {
      if (running > 0) throw new Error('could not serialize access')
      running++
      await pause(0)
      running--
      return run(command, options)
    },
  }
}

/** Mixes up the replies to commands that are under way at the same time. */
const mixing = (): Fault => {
  let waiting: ((reply: Reply) => void) | undefined
  return {
    run: (run) => async (command, options) => {
      const reply = await run(command, options)
      if (waiting) {
        waiting(reply)
        return new Promise((resolve) => (waiting = resolve))
      }
      const other = new Promise<Reply>((resolve) => (waiting = resolve))
      const alone = pause(5).then(() => reply)
      const chosen = await Promise.race([other, alone])
      waiting = undefined
      return chosen
    },
  }
}

const knownOps = 'acquire extend inspect release acquire-slot prepare accept forget'.split(' ')

const volatile = quarantine()
let runs = 0

export const brokenNodes: readonly Broken[] = [
  faulty('forgets tombstones', /tombstones: .* a different status/, {
    change: (changes) => {
      for (const key of changes.keys()) if (key.includes(':x:')) changes.delete(key)
    },
  }),
  faulty('shortens TTLs', /locks: .* a different ttl/, {
    change: (changes, command, _, now) => {
      for (const [key, row] of changes)
        if (row && isLock(key) && 'ttl' in command)
          changes.set(key, { ...row, expiresAt: now + command.ttl })
    },
  }),
  ['is not atomic', /, concurrency: /, () => ({ node: slowNode(new Map(), false) })],
  [
    'is atomic for one connection only',
    /, connections: /,
    () => {
      const rows: Rows = new Map()
      return { node: slowNode(rows, true), connect: () => slowNode(rows, true) }
    },
  ],
  stateful('lets a counter fall', /fences: .* a different counter/, () =>
    counting((counter, before) => (before > 0 && counter === before + 1 ? before - 1 : counter)),
  ),
  stateful('does not raise a counter', /fences: .* a different counter/, () =>
    counting((counter, before) => (counter === before + 1 ? before : counter)),
  ),
  forgetful('loses locks in a restart', /restart: the restart lost the lock/, isLock),
  forgetful('loses fences in a restart', /lost the fence of a lock that was released/, (key) =>
    key.endsWith(':f:gone'),
  ),
  forgetful('loses tombstones in a restart', /restart lost the tombstone/, (key) =>
    key.includes(':x:'),
  ),
  forgetful('loses records in a restart', /restart lost the record/, (key) =>
    key.endsWith(':l:record'),
  ),
  forgetful('has a new id after a restart', /restart: the server was .* a different one/, (key) =>
    key.endsWith(':id'),
  ),
  ['replies before a write is durable', /, restart: the restart lost/, lazy],
  faulty('forgets fences early', /expiry: the counter did not rise (?:when the lock|after)/, {
    change: (changes, _, rows) => {
      for (const [key, row] of changes) {
        const lock = changes.get(key.replace(':f:', ':l:')) ?? rows.get(key.replace(':f:', ':l:'))
        if (row && lock && isFence(key)) changes.set(key, { ...row, expiresAt: lock.expiresAt })
      }
    },
  }),
  faulty('keeps a fence for 2 s after its lock', /fence life: the counter \d+ was lost/, {
    change: (changes, _, rows, now) => {
      for (const [key, row] of changes) {
        const lock = changes.get(key.replace(':f:', ':l:')) ?? rows.get(key.replace(':f:', ':l:'))
        const end = (lock?.expiresAt ?? now) + 2_000
        if (row && isFence(key)) changes.set(key, { ...row, expiresAt: end })
      }
    },
  }),
  faulty('keeps the fence of a released lock for 2 s', /fence life: .* was lost/, {
    change: (changes, { op }, _, now) => {
      for (const [key, row] of changes)
        if (row && op === 'release' && isFence(key))
          changes.set(key, { ...row, expiresAt: now + 2_000 })
    },
  }),
  faulty('keeps a tombstone for 1 s', /fence life: the tombstone .* was lost/, {
    change: (changes, _, __, now) => {
      for (const [key, row] of changes)
        if (row && key.includes(':x:')) changes.set(key, { ...row, expiresAt: now + 1_000 })
    },
  }),
  faulty('acquires one of two keys', /locks: .* a different/, {
    change: (changes, command) => {
      if (command.op === 'acquire' && command.keys[1]) changes.delete(command.keys[1])
    },
  }),
  faulty('acquires the free one of two keys', /locks: .* a different/, {
    change: (changes, command, rows, now) => {
      if (command.op !== 'acquire' || changes.size > 0) return
      for (const key of command.keys)
        if (!rows.has(key)) changes.set(key, { value: command.owner, expiresAt: now + command.ttl })
    },
  }),
  stateful('gives an old reply to another command', /the last reply has a different/, () => {
    const replies: Reply[] = []
    return {
      reply: (reply) => {
        replies.push(reply)
        return replies.length % 60 === 0 ? replies.at(-2)! : reply
      },
    }
  }),
  stateful('mixes up replies', /concurrency: /, mixing),
  faulty('ignores expiry', /expiry: .* is locked after/, {
    read: (rows, _, now) =>
      new Map(
        [...rows].map(([key, row]) => [key, { ...row, expiresAt: Math.max(row.expiresAt, now) }]),
      ),
  }),
  faulty('lets keys expire early', /expiry: .* expired within/, {
    read: (rows, _, now) => without(rows, (__, { expiresAt }) => expiresAt < now + 150),
  }),
  faulty('has a clock that is ahead by an hour', /clock of the node is 3600\d\d\d ms ahead/, {
    now: () => Date.now() + 3_600_000,
  }),
  faulty('has a clock that is ahead by 6 s', /clock of the node is (59|60)\d\d ms ahead/, {
    now: () => Date.now() + 6_000,
  }),
  faulty('has a clock that is behind by 6 s', /clock of the node is -(59|60)\d\d ms ahead/, {
    now: () => Date.now() - 6_000,
  }),
  faulty(
    'has a clock of whole seconds',
    /jumped by about .* coarse|expired within|a different ttl/,
    {
      now: () => Math.floor(Date.now() / 1_000) * 1_000,
    },
  ),
  stateful('has a clock that jumps', /the clock of the node jumped|a different ttl/, () => {
    let commands = 0
    return { now: () => Date.now() + (++commands > 60 ? 3_000 : 0) }
  }),
  faulty('follows the clock of a client', /clock: a client with a wrong clock/, {
    now: (command) => ('minCounter' in command ? command.minCounter : Date.now()),
  }),
  faulty('runs unknown commands', /unknown commands: .* not rejected/, {
    command: (command) =>
      knownOps.includes(command.op)
        ? command
        : ({ ...(command as object), op: 'inspect' } as Command),
  }),
  faulty('grants a slot twice', /slots: .* a different/, {
    read: (rows, command) =>
      command.op === 'acquire-slot' ? without(rows, (key) => key === command.keys[0]) : rows,
  }),
  faulty('accepts a record with a lower token', /records: .* a different status/, {
    command: (command) =>
      command.op === 'accept' ? { ...command, token: Number.MAX_SAFE_INTEGER } : command,
    read: (rows, command) =>
      command.op === 'accept' ? without(rows, (key) => key === command.keys[0]) : rows,
  }),
  faulty('does not release by force', /forced release: .* a different/, {
    change: (changes, command) => {
      if (command.op === 'forget') changes.clear()
    },
  }),
  faulty('replaces foreign data', /foreign data: .* a different status/, {
    read: (rows) => without(rows, (_, { value }) => value.startsWith('the data')),
  }),
  faulty('ignores the case of keys', /texts: .* a different status.*case: Report/s, {
    storedKey: (key) => key.toLowerCase(),
  }),
  faulty('ignores blanks at the end of keys', /texts: .* a different status.*at the end "/s, {
    storedKey: (key) => key.trimEnd(),
  }),
  faulty('ignores accents', /texts: .* a different status.*resumé/s, {
    storedKey: (key) => key.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  }),
  faulty('cuts keys at 255 characters', /texts: .* a different status.*long/s, {
    storedKey: (key) => key.slice(0, 255),
  }),
  faulty('cuts values at 255 characters', /texts: .* a different/, {
    storedValue: (value) => value.slice(0, 255),
  }),
  faulty('cuts values at 8,000 characters', /texts: .* a different/, {
    storedValue: (value) => value.slice(0, 8_000),
  }),
  faulty('keeps values in latin1', /texts: .* a different/, {
    storedValue: (value) => value.replaceAll(/[^\0-\xff]/g, '?'),
  }),
  faulty('reads nine of ten keys', /ten keys: .* a different/, {
    read: (rows, command) =>
      without(rows, (key) => 'keys' in command && command.keys.indexOf(key) > 8),
  }),
  faulty('writes nine of ten keys', /ten keys: .* a different/, {
    change: (changes, command) => {
      if ('keys' in command && command.keys[9]) changes.delete(command.keys[9])
    },
  }),
  faulty('replies without a server id', /a reply does not name the server/, {
    reply: (reply) => ({ ...reply, server: undefined }),
  }),
  stateful('has several ids', /the server was .* a different one/, () => {
    let commands = 0
    return { reply: (reply) => ({ ...reply, server: `id-${++commands % 2}` }) }
  }),
  [
    'gives several ids to its first callers',
    /concurrency: .* different IDs/,
    () =>
      subjectOf({
        run: (run) => async (command, options) => {
          const reply = await run(command, options)
          const isFirst = 'identity' in command && command.identity !== 'test:id'
          return isFirst ? { ...reply, server: options.serverId } : reply
        },
      }),
  ],
  faulty('hangs when its signal has aborted', /abort: a command had no reply/, {
    run: (run) => (command, options) =>
      options.signal.aborted ? new Promise(() => {}) : run(command, options),
  }),
  stateful('waits for a deadlock', /concurrency: a command had no reply/, deadlocking),
  stateful('gives up under contention', /concurrency: a command was rejected/, impatient),
  [
    'has a store for each connection',
    /connections: /,
    () => ({ node: storeNode(new Map()), connect: () => storeNode(new Map()) }),
  ],
  faulty('is volatile and knows no run', /restart guard: .* must pass `run`/, { volatile }),
  faulty(
    'is volatile and does not notice a restart',
    /restart: a volatile node .* does not abstain/,
    {
      volatile,
      runId: () => 'the same',
    },
  ),
  stateful('is volatile and does not read the key of its guard', /still abstains/, () => ({
    volatile,
    runId: () => 'one',
    read: (rows) => without(rows, (key) => key.endsWith(':run')),
  })),
]

/** A volatile store that is sound: each restart is another run. */
export const volatileSubject = (): Subject => {
  const rows: Rows = new Map()
  const begin = (): LockNode => {
    const runId = `run ${++runs}`
    return storeNode(rows, { volatile, runId: () => runId })
  }
  return { node: begin(), restart: begin }
}
