import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs'
import type { HistoryEvent } from './events.ts'

// A history is a file of JSON lines, one per event.

/** The current time, in ms of the monotonic clock. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

export type HistoryWriter = {
  /** Appends an event. When this returns, the kernel has received the event, so it survives a kill -9. */
  readonly write: (event: HistoryEvent) => void
  readonly close: () => void
}

export const historyWriter = (path: string): HistoryWriter => {
  let file: number | undefined = openSync(path, 'a')
  return {
    write: (event) => void writeSync(file!, `${JSON.stringify(event)}\n`),
    close: () => {
      // Do not close the file twice: its descriptor may already belong to another file.
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** Parses a history. The last line can be incomplete if its writer was killed. */
export const parseHistory = (text: string): HistoryEvent[] => {
  const lines = text.split('\n')
  const last = lines.pop()
  if (last) appendFileSync(2, `The history ends in an incomplete line: ${last.slice(0, 80)}\n`)
  return lines.filter(Boolean).map((line) => JSON.parse(line) as HistoryEvent)
}
