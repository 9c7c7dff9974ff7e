import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { LockNode, Reply } from '../../src/entries/custom-node.ts'

/** A process with a node over a SQLite file. */
export type SqliteProcess = {
  readonly node: LockNode
  /** Ends it by SIGKILL. */
  readonly kill: () => Promise<void>
}

type Answer = { readonly id: number; readonly reply?: Reply; readonly error?: string }

/** Starts a process with a connection of its own. */
export const startSqlite = async (file: string): Promise<SqliteProcess> => {
  const preload = ['--import', join(import.meta.dirname, 'from-sources.ts')]
  const child = fork(join(import.meta.dirname, 'sqlite-process.ts'), [file], { execArgv: preload })
  const exited = once(child, 'exit')
  await once(child, 'message')
  const waiting = new Map<number, (answer: Answer) => void>()
  child.on('message', (answer: Answer) => waiting.get(answer.id)?.(answer))
  child.on('exit', () => {
    for (const [id, answer] of waiting) answer({ id, error: 'the process has ended' })
  })
  let id = 0
  const run: LockNode['run'] = async (command, { serverId }) => {
    const own = ++id
    const answered = new Promise<Answer>((resolve) => waiting.set(own, resolve))
    child.send({ id: own, command, serverId })
    const { reply, error } = await answered
    waiting.delete(own)
    if (!reply) throw new Error(error)
    return reply
  }
  return {
    node: { name: 'sqlite', run },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
