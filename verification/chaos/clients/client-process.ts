import type { ClientSettings, ProcessName } from '../campaign/settings.ts'

/** A process of clients, from the point of view of the nemesis. */
export type ClientProcess = {
  readonly name: ProcessName
  readonly pid: number
  /** Resolves as soon as one of its clients holds a lock for which others compete. */
  readonly holding: () => Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  readonly kill: () => Promise<void>
  /** Lets its clients finish. Resolves to whether they finished within this many ms. */
  readonly stop: (limit: number) => Promise<boolean>
}

export type ClientStart = {
  readonly name: ProcessName
  readonly generation: number
  readonly clients: number
  readonly mayPause: boolean
  readonly distance: number
  readonly seed: number
  /** The project whose sources it runs: this one, or a broken copy. */
  readonly directory: string
  /** The file that it writes its history to. */
  readonly history: string
  readonly settings: ClientSettings
}

/** Resolves to whether the work ends within this many ms. */
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
