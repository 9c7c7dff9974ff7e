import type { ClientSettings, ProcessName } from '../campaign/settings.ts'

/** A client process, as the nemesis sees it. */
export type ClientProcess = {
  readonly name: ProcessName
  readonly pid: number
  /** Resolves as soon as one of its clients holds a lock for which others compete. */
  readonly holding: () => Promise<void>
  readonly pause: () => void
  readonly resume: () => void
  readonly kill: () => Promise<void>
  /** Stops the clients after their current operations. Resolves to whether they finished within `limit` ms. */
  readonly stop: (limit: number) => Promise<boolean>
}

export type ClientStart = {
  readonly name: ProcessName
  readonly generation: number
  readonly clients: number
  readonly mayPause: boolean
  readonly distance: number
  readonly seed: number
  /** The project whose sources the process runs: this one, or a broken copy. */
  readonly directory: string
  /** The file to which the process writes its history. */
  readonly history: string
  readonly settings: ClientSettings
}

/** Resolves to whether the work ends within `limit` ms. */
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
