import { DatabaseSync } from 'node:sqlite'
import type { Command, RunOptions } from '../../src/entries/custom-node.ts'
import { sqliteNode } from './sqlite-node.ts'

// A process with a node over the SQLite file that its argument names. It runs the commands that its parent sends.

/** A command that the parent sends. */
export type Asked = {
  readonly id: number
  readonly command: Command
  readonly serverId: string
}

const database = new DatabaseSync(process.argv[2]!, { timeout: 5_000 })
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
const node = sqliteNode('sqlite', database)
const { signal } = new AbortController()

const answer = async ({ id, command, serverId }: Asked): Promise<void> => {
  const options: RunOptions = { signal, serverId }
  const [reply, error] = await node.run(command, options).then(
    (reply) => [reply, undefined] as const,
    (failure: Error) => [undefined, failure.message] as const,
  )
  process.send!({ id, reply, error })
}

process.on('message', (asked: Asked) => void answer(asked))
process.send!('ready')
