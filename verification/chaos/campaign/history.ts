import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs'
import type { HistoryEvent } from './events.ts'

// A history is a file of JSON lines, one per event.

/** The current time, in ms of the monotonic clock. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6

export type HistoryWriter = {
  /** Appends an event. The kernel has received it when this returns, so it survives a kill -9. */
  readonly write: (event: HistoryEvent) => void
  readonly close: () => void
}

export const historyWriter = (path: string): HistoryWriter => {
  let file: number | undefined = openSync(path, 'a')
  return {
    write: (event) => void writeSync(file!, `${JSON.stringify(event)}\n`),
    close: () => {
      // A second close might close another file that has reused the number.
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** Parses a history. The last line may be incomplete, if its writer was killed. */
export const parseHistory = (text: string): HistoryEvent[] => {
  const lines = text.split('\n')
  const last = lines.pop()
  if (last) appendFileSync(2, `The history ends in an incomplete line: ${last.slice(0, 80)}\n`)
  return lines.filter(Boolean).map((line) => JSON.parse(line) as HistoryEvent)
}
