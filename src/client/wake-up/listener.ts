import type { Client } from '../../core/process/client.ts'
import type { LockNode } from '../../protocol/node.ts'
import type { WaitUntil } from '../../core/options/call-options.ts'
import { queueKey } from '../../protocol/keys.ts'
import { queueLua, withLua } from '../../redis/commands.ts'
import { messagePatience } from '../../core/retry/times.ts'
import { type Clock, defer, onAbort, sleep } from '../../util/clock.ts'

/**
 * Yields the data of the server-sent events in a stream, in order, until the stream ends or the signal aborts. The
 * signal is checked here because the node's `fetch` may ignore it.
 *
 * @see {@link https://html.spec.whatwg.org/multipage/server-sent-events.html}
 */
export const eventsOf = async function* (
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  const cancel = (): void => void reader.cancel().catch(() => {})
  const stopListening = onAbort(signal, cancel)
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const text = rest + decoder.decode(value, { stream: true })
      // A line that ends with `\r\n` produces an additional empty line, which has no effect.
      const lines = text.replaceAll('\r', '\n').split('\n')
      rest = lines.pop()!.slice(-maxLine)
      for (const line of lines.slice(-maxLines)) {
        if (line.startsWith('data:')) yield line.slice(line[5] === ' ' ? 6 : 5, maxLine)
      }
    }
  } finally {
    stopListening()
    cancel()
  }
}

// The maximum length of a line, in characters; the rest is dropped. All relevant lines are short.
const maxLine = 1024

// The maximum number of lines to process per chunk. A server sends only a message or two at a time.
const maxLines = 100

/** Waits for a message from one node that one key was released. */
export type Listener = {
  /** Whether a release will send a message: the waiter is in the queue, and the stream works. */
  readonly isLive: () => boolean
  /** Whether no message has arrived yet, but one may still arrive. */
  readonly isOpening: () => boolean
  /** Joins the queue of waiters, or stays in it, and requests a message to test the stream. */
  readonly join: () => void
  /** Leaves the queue, and closes the stream. */
  readonly stop: () => void
}

export type ListenerOptions = {
  readonly client: Client
  readonly node: LockNode
  /** The Redis key of the lock. */
  readonly lockKey: string
  /** Called when the lock may be free. */
  readonly onWake: () => void
  readonly waitUntil: WaitUntil | undefined
  /** The maximum number of requests: one for the stream, one for each join, and one to leave the queue. */
  readonly maxRequests: number
}

/** How long a queue remains on its node after the last join, in ms. */
const queueLife = 60_000

/** Opens the stream of a channel on a node; undefined if the node does not support streams. */
const openStream = async (
  node: LockNode,
  channel: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> => {
  const response = await node.subscribe!(channel, signal)
  const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '')
  if (response.body && response.status === 200 && isStream) return response.body
  await response.body?.cancel()
  return undefined
}

/** A place in the queue of waiters on a node. */
type Place = {
  /** The channel of the messages to this waiter. */
  readonly channel: string
  /** Whether enough requests remain to join the queue and leave it afterwards. */
  readonly canJoin: () => boolean
  /** Whether the waiter is in the queue, or about to join it. */
  readonly isQueued: () => boolean
  /** Joins the queue, or stays in it. @returns whether the lock may be free. */
  readonly join: (signal: AbortSignal) => Promise<boolean>
  /** Notes that a wake-up message has removed the waiter from the queue. */
  readonly noteWake: () => void
  /** Leaves the queue, unless the node takes too long. Never rejects. */
  readonly leave: () => Promise<void>
}

const placeOf = ({ client, node, lockKey, maxRequests }: ListenerOptions): Place => {
  const { clock } = client
  const queue = queueKey(client.prefix, lockKey)
  const id = crypto.randomUUID()
  const begun = clock.wall()
  /** The number of requests so far, including the one that opens the stream. */
  let requests = 1
  let isQueued = false

  const countRequest = (): void => {
    // The error keeps the node from sending a script again.
    if (++requests > maxRequests) throw new Error('the request budget for messages is used up')
  }
  const send = async (op: 'join' | 'leave', signal: AbortSignal): Promise<boolean> => {
    countRequest()
    const command = { op, queue, key: lockKey, waiter: id, since: begun, life: queueLife }
    const reply = await node.run(withLua(queueLua, command), { signal, onResend: countRequest })
    return reply.status === 'queued' && reply.isFree
  }
  const leave = async (): Promise<void> => {
    const timeout = new AbortController()
    const done = new AbortController()
    const limit = sleep(clock, messagePatience, done.signal).catch(() => {})
    const left = send('leave', timeout.signal).catch(() => {})
    await Promise.race([left, limit])
    timeout.abort()
    // A pending timer would keep the process running.
    done.abort()
  }
  return {
    channel: `${queue}:${id}`,
    canJoin: () => requests < maxRequests - 1,
    isQueued: () => isQueued,
    join: (signal) => {
      isQueued = true
      return send('join', signal)
    },
    noteWake: () => void (isQueued = false),
    leave,
  }
}

/** Detects whether a stream works. Each join requests a message on the stream. */
type Pulse = {
  /** Notes a join. */
  readonly ask: (now: number) => void
  /** Whether the last join is so recent that its message could still arrive. */
  readonly wasAsked: (now: number) => boolean
  /** Notes a message. */
  readonly hear: () => void
  /** Whether a message has ever arrived. */
  readonly hasBegun: () => boolean
  /** Whether the stream still works: no join has waited too long for its message. */
  readonly goesOn: () => boolean
}

const newPulse = (clock: Clock): Pulse => {
  /** The times of the last message, the last join, and the first join after the last message; 0 if never. */
  let [heardAt, askedAt, silentSince] = [0, 0, 0]
  return {
    ask: (now) => {
      askedAt = now
      if (heardAt >= silentSince) silentSince = now
    },
    wasAsked: (now) => now - askedAt < messagePatience,
    hear: () => void (heardAt = clock.monotonic()),
    hasBegun: () => heardAt > 0,
    goesOn: () => heardAt >= silentSince || clock.monotonic() - silentSince < messagePatience,
  }
}

/**
 * Subscribes to a new channel on the node, and joins the queue of waiters once the subscription is confirmed. Never
 * throws. If the stream is missing, silent or closed, `isLive` is false, and the caller falls back to its usual pauses.
 */
export const listen = (options: ListenerOptions): Listener => {
  const { client, node, onWake, waitUntil } = options
  const { clock } = client
  const place = placeOf(options)
  const pulse = newPulse(clock)
  const ending = new AbortController()
  const { signal } = ending
  let isOpen = false
  let hasEnded = false

  const join = async (): Promise<void> => {
    const now = clock.monotonic()
    if (!isOpen || !place.canJoin() || (place.isQueued() && pulse.wasAsked(now))) return
    pulse.ask(now)
    try {
      // The lock may have become free before the waiter joined the queue.
      if (await place.join(signal)) onWake()
    } catch {
      // Without a message, the stream counts as silent after a while.
    }
  }

  const onMessage = (message: string | undefined): void => {
    pulse.hear()
    if (message !== 'wake') return
    place.noteWake()
    onWake()
  }

  const read = async (): Promise<void> => {
    const stream = await openStream(node, place.channel, signal)
    if (!stream) return
    for await (const data of eventsOf(stream, signal)) {
      if (signal.aborted) return
      if (data.startsWith('subscribe,')) {
        isOpen = true
        void join()
      } else if (data.startsWith('message,')) onMessage(data.split(',').at(-1))
      else if (data.startsWith('unsubscribe,')) return
    }
  }

  const follow = async (): Promise<void> => {
    try {
      await read()
    } catch {
      // There is no stream: the node is down or does not support streams, or the call has ended.
    }
    const wasOpen = isOpen
    isOpen = false
    hasEnded = true
    // Wakes the caller, whose current pause may be longer than it would be without a stream.
    if (wasOpen && !signal.aborted) onWake()
  }

  defer(waitUntil, follow())
  return {
    isLive: () =>
      isOpen && pulse.hasBegun() && pulse.goesOn() && (place.isQueued() || place.canJoin()),
    isOpening: () => !hasEnded && !pulse.hasBegun(),
    join: () => void join(),
    stop: () => {
      isOpen = false
      ending.abort()
      if (place.isQueued()) defer(waitUntil, place.leave())
    },
  }
}
