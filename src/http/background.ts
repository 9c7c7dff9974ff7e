/** A runtime's way to take work that goes on after the response. */
export type WaitUntil = (work: Promise<unknown>) => void

/** The work of one request that outlives the call that started it. It never rejects. */
export type Background = {
  /** Whether the runtime keeps such work alive; if not, it is to be awaited before the response. */
  readonly isKept: boolean
  readonly add: WaitUntil
  /** Resolves when nothing is left that the runtime would not keep alive. */
  readonly settled: () => Promise<void>
}

/** Hands work to the runtime's `waitUntil`, and collects it where there is none (Lambda freezes). */
export const background = (waitUntil: WaitUntil | undefined): Background => {
  const collected: Promise<unknown>[] = []
  return {
    isKept: waitUntil !== undefined,
    add: waitUntil ?? ((work) => void collected.push(work)),
    settled: async () => void (await Promise.all(collected)),
  }
}
