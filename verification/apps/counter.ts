import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The reports of the handlers on one key. */
export type Count = {
  /** Handlers that began their effect. */
  readonly effects: number
  /** Handlers that began while another one was running. */
  readonly overlaps: number
}

/** A server outside of the apps that receives reports from their handlers. */
export type Counter = AsyncDisposable & {
  readonly url: string
  readonly of: (key: string) => Count
}

type Entry = { runs: number; effects: number; atWork: number; overlaps: number }

/** Counts the reports of the handlers: `POST /begin/KEY`, `/end/KEY` and `/run/KEY`. */
export const startCounter = async (): Promise<Counter> => {
  const entries = new Map<string, Entry>()
  const entryOf = (key: string): Entry => {
    const entry = entries.get(key) ?? { runs: 0, effects: 0, atWork: 0, overlaps: 0 }
    entries.set(key, entry)
    return entry
  }
  const report: Readonly<Record<string, (entry: Entry) => number>> = {
    run: (entry) => ++entry.runs,
    begin: (entry) => {
      if (entry.atWork++ > 0) entry.overlaps++
      return ++entry.effects
    },
    end: (entry) => --entry.atWork,
  }
  const server = createServer((req, res) => {
    const [, what = '', key = ''] = req.url!.split('/')
    const entry = entryOf(decodeURIComponent(key))
    req.resume().once('end', () => res.end(`${report[what]!(entry)}`))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: entryOf,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
