import { expect } from 'vitest'
import { until } from '../../tools/cli/until.ts'
import type { Backend } from '../../tools/servers/ioredis.ts'
import type { Running } from './support.ts'

/** A stream of events as a client reads it. */
export type Events = {
  readonly response: Response
  /** The data of the events so far. */
  readonly data: string[]
  /** All text so far, comments included. */
  readonly text: () => string
  /** Resolves when the stream has ended: to undefined, or to the error that broke it. */
  readonly ended: Promise<unknown>
  /** Waits for the nth event, and returns it. */
  readonly event: (index: number) => Promise<string>
  readonly leave: () => void
}

const limit = 30_000

/** Requests a stream and reads it until it ends or `leave` is called. */
export const openEvents = async (
  server: Pick<Running, 'request'>,
  path: string,
  init: RequestInit = {},
): Promise<Events> => {
  const leaving = new AbortController()
  const headers = { accept: 'text/event-stream', ...(init.headers as object) }
  const response = await server.request(path, { ...init, headers, signal: leaving.signal })
  expect(response.status).toBe(200)
  const data: string[] = []
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of response.body!) {
      const added = decoder.decode(chunk, { stream: true })
      text += added
      const frames = (rest + added).split('\n\n')
      rest = frames.pop()!
      for (const frame of frames) if (frame.startsWith('data: ')) data.push(frame.slice(6))
    }
  }
  const ended = read().catch((error: unknown) => error)
  const event: Events['event'] = async (index) => {
    await until(() => data.length > index, limit, `event ${index} of ${path} did not come`)
    return data[index]!
  }
  return { response, data, text: () => text, ended, event, leave: () => leaving.abort() }
}

/** How many connections of a Redis have a subscription. */
export const subscribers = async (backend: Pick<Backend, 'send'>): Promise<number> =>
  String(await backend.send(['CLIENT', 'LIST', 'TYPE', 'pubsub']))
    .split('\n')
    .filter((line) => line !== '').length

/** Waits until a Redis has this many connections with a subscription. */
export const untilSubscribers = (backend: Pick<Backend, 'send'>, count: number): Promise<void> =>
  until(async () => (await subscribers(backend)) === count, limit, `not ${count} subscribers`)
