import { fork } from 'node:child_process'
import type { Task } from './child.ts'
import type { Match, Side } from './sides.ts'

/** A library in a process of its own. */
export type Player = {
  /** @throws when the process ends before it has answered. */
  readonly ask: (task: Task) => Promise<number>
  readonly end: () => void
}

export const startPlayer = (match: Match, { name }: Side, flags: readonly string[]): Player => {
  const child = fork(new URL('child.ts', import.meta.url), [match, name], {
    execArgv: [...flags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The process of ${name} ended with ${code}`)))
  })
  // Whoever asks hears of it; where nobody does, it was told to end.
  ended.catch(() => {})
  return {
    ask: (task) => {
      const answer = new Promise<number>((resolve) =>
        child.once('message', resolve as (message: unknown) => void),
      )
      child.send(task)
      return Promise.race([answer, ended])
    },
    end: () => child.kill(),
  }
}
