import type { RedisArgument, RedisCommand } from './command.ts'
import { createEventStream } from './event-stream.ts'
import type { ResolvedGatewayOptions } from './options.ts'
import { notAllowedError } from './rejection.ts'
import { toText } from './reply.ts'
import { errorResponse, type JsonResponse } from './run.ts'
import type { Subscription } from './subscription.ts'

/** A response of server-sent events. */
export type StreamResponse = { readonly status: 200; readonly events: ReadableStream<Uint8Array> }

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const lineBreaks = /[\r\n]/g

// A line break would end the event: a publisher could forge messages of other channels.
const channelName = (channel: RedisArgument): string =>
  toText(channel).replace(lineBreaks, '\ufffd')

// Clients parse messages as JSON. In JSON, a line break can be replaced by a space; other text becomes a JSON string.
const textOf = (message: RedisArgument): string => {
  const text = toText(message)
  if (text.search(lineBreaks) < 0) return text
  return isJson(text) ? text.replace(lineBreaks, ' ') : JSON.stringify(text)
}

const badRequest = (error: string): JsonResponse => ({ status: 400, body: { error } })

const rejection = (
  { subscribe, allow }: ResolvedGatewayOptions,
  name: string,
  channels: readonly unknown[],
): JsonResponse | undefined => {
  if (!subscribe) {
    return badRequest(
      `ERR Command is not available: '${name}', since the gateway has no \`subscribe\` option`,
    )
  }
  if (allow && !allow.has(name)) return badRequest(notAllowedError(name))
  if (channels.length === 0) {
    return badRequest(`ERR wrong number of arguments for '${name.toLowerCase()}' command`)
  }
  return undefined
}

/** The events that confirm or end a subscription: one per channel, with the number of channels. */
const changes = (
  change: 'subscribe' | 'unsubscribe',
  command: Subscription['command'],
  channels: readonly RedisArgument[],
): string[] => {
  const names = [...new Set(channels.map(channelName))]
  const type = command === 'subscribe' ? change : `p${change}`
  return names.map((name, index) => {
    const count = change === 'subscribe' ? index + 1 : names.length - index - 1
    return `${type},${name},${count}`
  })
}

/**
 * Runs SUBSCRIBE or PSUBSCRIBE: 200 with a stream once Redis has confirmed it, otherwise the usual response to a failed
 * command. The events are those of Upstash: `subscribe,CHANNEL,COUNT` for each channel, then
 * `message,CHANNEL,MESSAGE`; `psubscribe,PATTERN,COUNT`, then `pmessage,PATTERN,CHANNEL,MESSAGE`. If Redis is lost,
 * the client gets an `unsubscribe` or `punsubscribe` event, and the stream ends.
 *
 * @param disconnected - Aborts when the client disconnects, if the runtime reports that.
 * @see {@link https://upstash.com/docs/redis/features/restapi#subscribe-%26-publish-commands}
 */
export const runSubscription = async (
  options: ResolvedGatewayOptions,
  [name, ...channels]: RedisCommand,
  disconnected: AbortSignal,
): Promise<StreamResponse | JsonResponse> => {
  const rejected = rejection(options, name, channels)
  if (rejected) return rejected
  const command = name === 'SUBSCRIBE' ? 'subscribe' : 'psubscribe'
  const ending = new AbortController()
  const { signal } = ending
  const stream = createEventStream(() => ending.abort())
  disconnected.addEventListener('abort', stream.close, { signal })
  if (disconnected.aborted) stream.close()

  // The first message may arrive before the promise of the confirmation has settled.
  let isConfirmed = false
  const confirm = (): void => {
    if (isConfirmed) return
    isConfirmed = true
    for (const event of changes('subscribe', command, channels)) stream.send(event)
  }
  const onMessage: Subscription['onMessage'] = (message, channel, pattern) => {
    confirm()
    const from = pattern === undefined ? 'message' : `pmessage,${channelName(pattern)}`
    stream.send(`${from},${channelName(channel)},${textOf(message)}`)
  }
  const onEnd = (): void => {
    for (const event of changes('unsubscribe', command, channels)) stream.send(event)
    stream.close()
  }
  // An adapter that only listens for the abort would never notice an earlier one.
  if (signal.aborted) return { status: 200, events: stream.body }
  try {
    await options.subscribe!({ command, channels, onMessage, onEnd, signal })
  } catch (error) {
    stream.close()
    return errorResponse(error)
  }
  confirm()
  return { status: 200, events: stream.body }
}
