import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of our own that tells one thing when it is up. `end` kills it, by its pid. */
export type Child<Told> = {
  readonly process: ChildProcess
  readonly pid: number
  readonly told: Told
  readonly send: (message: object) => void
  readonly end: () => Promise<void>
}

const limit = 30_000

/** Starts a file with settings. @throws when it ends before it tells anything, or does not. */
export const startChild = async <Told>(file: string, settings: object): Promise<Child<Told>> => {
  const child = fork(file, [], {
    execPath: process.execPath,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  // It may have ended at any time: then there is nobody to tell.
  child.on('error', () => {})
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const send = (message: object): void => {
    if (!child.connected) throw new Error(`${file} has ended, and cannot be told anything`)
    child.send(message)
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${file} was not up in ${limit} ms`)), limit)
  })
  const broken = ended.then(([code, signal]): never => {
    throw new Error(`${file} ended at once, with ${signal ?? code}`)
  })
  child.send(settings)
  try {
    const [told] = (await Promise.race([once(child, 'message'), broken, late])) as [Told]
    return { process: child, pid: child.pid!, told, send, end }
  } catch (error) {
    await end()
    throw error
  } finally {
    clearTimeout(timer)
    broken.catch(() => {})
  }
}
