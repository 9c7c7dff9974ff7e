import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A Node child process that has reported that it is up. */
export type Child<Report> = {
  readonly process: ChildProcess
  readonly pid: number
  /** The first message of the process. */
  readonly report: Report
  /** Resolves to the exit code of the process, or to the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>
  readonly send: (message: object) => void
  /** Resolves to the next message of the process. @throws if the process ends first. */
  readonly nextMessage: <Message>() => Promise<Message>
  /** Kills the process and waits until it has ended. */
  readonly end: () => Promise<void>
}

/** Options of `startChild`. */
export type ChildOptions<Message> = {
  /** Receives every message after the report. */
  readonly onMessage?: (message: Message) => void
  /** Whether to discard the standard output of the process. */
  readonly isQuiet?: boolean
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[]
}

const startLimit = 30_000

/**
 * Runs a TypeScript file in a new process, passes settings to it, and waits until it reports that it is up. The file
 * reads the settings with `settingsFromParent`, and reports with `process.send`.
 *
 * @throws if the process ends before its report, or sends no report within 30 s.
 * @example
 * ```ts
 * const child = await startChild<{ port: number }>(file, { token })
 * console.log(child.report.port)
 * await child.end()
 * ```
 */
export const startChild = async <Report, Message = unknown>(
  file: string,
  settings: object,
  { onMessage, isQuiet = false, nodeOptions = process.execArgv }: ChildOptions<Message> = {},
): Promise<Child<Report>> => {
  const child = fork(file, [], {
    execPath: process.execPath,
    execArgv: [...nodeOptions],
    stdio: ['ignore', isQuiet ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('exit', (code, signal) => resolve(signal ?? code!))
    // Ignore errors of sending to a process that has just ended: its exit is reported anyway.
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error)
    })
  })
  ended.catch(() => {})
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const send = (message: object): void => {
    if (!child.connected) throw new Error(`${file} has ended and cannot receive messages`)
    child.send(message)
  }
  const nextMessage = async <Next>(): Promise<Next> => {
    const controller = new AbortController()
    const message = once(child, 'message', { signal: controller.signal })
    const tooEarly = ended.then((how): never => {
      throw new Error(`${file} ended with ${how} before its next message`)
    })
    try {
      const [next] = (await Promise.race([message, tooEarly])) as [Next]
      return next
    } finally {
      message.catch(() => {})
      tooEarly.catch(() => {})
      controller.abort()
    }
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${file} was not up within ${startLimit} ms`)),
      startLimit,
    )
  })
  child.send(settings)
  try {
    const reported = nextMessage<Report>()
    // Add the listener first, because a message can follow the report immediately.
    if (onMessage) child.once('message', () => child.on('message', onMessage))
    const report = await Promise.race([reported, late])
    return { process: child, pid: child.pid!, report, ended, send, nextMessage, end }
  } catch (error) {
    await end()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/**
 * In a child process, waits for the settings that were passed to `startChild`. They do not appear on the command line,
 * which every user of the machine can read. Afterwards, the process ends with its parent, and ignores Ctrl-C, which is
 * meant for the parent.
 *
 * @param onDisconnect - Called when the parent has ended or disconnected. Default: exits.
 */
export const settingsFromParent = async <Settings>(
  onDisconnect: () => void = () => process.exit(),
): Promise<Settings> => {
  process.on('disconnect', onDisconnect)
  process.on('SIGINT', () => {})
  const [settings] = (await once(process, 'message')) as [Settings]
  return settings
}
