import type { ClientSettings, ProcessName } from '../campaign/settings.ts'

/** A process that clients live in, as the nemesis sees it. */
export type ClientProcess = {
  readonly name: ProcessName
  readonly pid: number
  /** Resolves as soon as one of its clients holds a lock that others want. */
  readonly holding: () => Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  readonly kill: () => Promise<void>
  /** Lets its clients finish; resolves to whether they did so in time. */
  readonly stop: (limit: number) => Promise<boolean>
}

/** What it takes to start one. `directory` holds the sources that it runs, and `history` its file. */
export type ClientStart = {
  readonly name: ProcessName
  readonly generation: number
  readonly clients: number
  readonly mayPause: boolean
  readonly seed: number
  readonly directory: string
  readonly history: string
  readonly settings: ClientSettings
}

/** Resolves to whether the work is over within so many ms. */
export const inTime = async (work: Promise<unknown>, limit: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limit)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
