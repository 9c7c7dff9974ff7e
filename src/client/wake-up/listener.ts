import type { Client } from '../../core/process/client.ts'
import type { LockNode } from '../../protocol/node.ts'
import type { WaitUntil } from '../../core/options/call-options.ts'
import { queueKey } from '../../protocol/keys.ts'
import { queueLua, withLua } from '../../redis/commands.ts'
import { messagePatience } from '../../core/retry/times.ts'
import { type Clock, defer, onAbort, sleep } from '../../util/clock.ts'

/**
 * The data of the server-sent events in a stream, in order. It ends with the stream, or when the signal aborts, because
 * the node's `fetch` may ignore the signal.
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
      // A line that ends with both characters produces an additional empty line, which has no effect.
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

// The characters of a line that are kept until it ends. All relevant lines are short.
const maxLine = 1024

// The lines of one chunk that are read. A server sends a message or two at a time.
const maxLines = 100

/** Waits on one node for the release of one key. */
export type Listener = {
  /** Whether the next message should arrive: the waiter is in the queue, and the stream works. */
  readonly isLive: () => boolean
  /** Whether no message has arrived yet, but one may still arrive. */
  readonly isOpening: () => boolean
  /** Joins the queue of waiters, or stays in it, and requests a message that shows that the stream works. */
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
  /** The maximum number of requests: for the stream, for each join, and for leaving the queue. */
  readonly maxRequests: number
}

/** The TTL of a queue on its node after the last join, in ms. */
const queueLife = 60_000

/** Opens the stream of a channel on a node; undefined if the node does not stream. */
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
  /** Whether the remaining requests are enough to join, and to leave afterwards. */
  readonly canJoin: () => boolean
  /** Whether the waiter is in the queue, or about to join it. */
  readonly isQueued: () => boolean
  /** Joins the queue, or stays in it. @returns whether the lock may be free. */
  readonly join: (signal: AbortSignal) => Promise<boolean>
  /** Notes that a message has removed the waiter from the queue. */
  readonly noteWake: () => void
  /** Leaves the queue if the node answers in time. It never rejects. */
  readonly leave: () => Promise<void>
}

const placeOf = ({ client, node, lockKey, maxRequests }: ListenerOptions): Place => {
  const { clock } = client
  const queue = queueKey(client.prefix, lockKey)
  const id = crypto.randomUUID()
  const begun = clock.wall()
  /** The number of requests so far. The first one opens the stream. */
  let requests = 1
  let isQueued = false

  const countRequest = (): void => {
    // The error prevents the node from sending a script again.
    if (++requests > maxRequests) throw new Error('the requests for messages are used up')
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
    // A remaining timer would keep a process running.
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

/** Detects whether a stream works: each join requests a message on it. */
type Pulse = {
  /** Notes a join. */
  readonly ask: (now: number) => void
  /** Whether the last join is so recent that its message may still arrive. */
  readonly wasAsked: (now: number) => boolean
  /** Notes a message. */
  readonly hear: () => void
  /** Whether a message has ever arrived. */
  readonly hasBegun: () => boolean
  /** Whether the stream has answered the first join after its last message, or may still do so. */
  readonly goesOn: () => boolean
}

const newPulse = (clock: Clock): Pulse => {
  /** The times of the last message, of the last join, and of the first join without an answer; 0 if never. */
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
 * Subscribes to a new channel on the node, and joins the queue of waiters once the subscription is confirmed. It never
 * throws. If the stream is missing or silent, or has ended, `isLive` is false, and the caller waits as without it.
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
      // The stream counts as silent after a while.
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
      // No stream: the node is down, does not stream, or the call has ended.
    }
    const wasOpen = isOpen
    isOpen = false
    hasEnded = true
    // The caller may be in a longer pause than it would be without a stream.
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
