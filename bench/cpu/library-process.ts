import { fileURLToPath } from 'node:url'
import { startChild } from '../../tools/child-process.ts'
import type { Match } from './libraries.ts'
import type { Library } from './library.ts'
import type { Settings, Task } from './measured-process.ts'

/** A library in a process of its own. */
export type LibraryProcess = {
  /** Runs a task and resolves to its result. @throws when the process ends first. */
  readonly run: (task: Task) => Promise<number>
  readonly end: () => Promise<void>
}

const file = fileURLToPath(new URL('measured-process.ts', import.meta.url))

/** Starts a process that loads one library. */
export const startLibrary = async (
  match: Match,
  { name }: Library,
  nodeOptions: readonly string[],
): Promise<LibraryProcess> => {
  const settings: Settings = { match, name }
  const child = await startChild(file, settings, { isQuiet: true, nodeOptions })
  return {
    run: (task) => {
      const result = child.nextMessage<number>()
      child.send(task)
      return result
    },
    end: child.end,
  }
}
