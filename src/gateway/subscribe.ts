import type { RedisArgument, RedisCommand } from './command.ts'
import { createEventStream } from './event-stream.ts'
import type { ResolvedGatewayOptions } from './options.ts'
import { notAllowedError } from './rejection.ts'
import { toText } from './reply.ts'
import { errorResponse, type JsonResponse } from './run.ts'
import type { Subscription } from './subscription.ts'

/** A response that consists of server-sent events. */
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

// Replace line breaks, which would end the event. Otherwise, a publisher could forge messages of other channels.
const channelName = (channel: RedisArgument): string =>
  toText(channel).replace(lineBreaks, '\ufffd')

// Clients parse messages as JSON, in which a space can replace a line break. Other text becomes a JSON string.
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

/** The events that confirm or end a subscription: one per channel, with the number of subscribed channels. */
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
 * Runs SUBSCRIBE or PSUBSCRIBE: 200 with a stream once Redis has confirmed the subscription, otherwise the usual
 * response to a failed command. The events have the format of Upstash: `subscribe,CHANNEL,COUNT` for each channel, then
 * `message,CHANNEL,MESSAGE`; or `psubscribe,PATTERN,COUNT`, then `pmessage,PATTERN,CHANNEL,MESSAGE`. If the connection
 * to Redis is lost, the client receives `unsubscribe` or `punsubscribe` events, and the stream ends.
 *
 * @param disconnected - Aborts when the client disconnects, on runtimes that report this.
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

  // The first message can arrive before the promise of `subscribe` has resolved.
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
  // Do not subscribe after an abort: an adapter that listens for the `abort` event would miss an earlier one.
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
