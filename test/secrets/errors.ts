import { resolve } from 'node:path'

// Every error that the sources make, whatever becomes of it. But what a node fails with is raw until
// it is told, by an event at least, which is seen.
const sources = `${resolve(import.meta.dirname, '../../src')}/`
const isSource = (file: string): boolean =>
  file.startsWith(sources) && !file.startsWith(`${sources}nodes/`)
const Plain = Error

/** Whether it is the sources that are making an error: by who calls the constructor. */
const isOurs = (): boolean => {
  const { stackTraceLimit } = Plain
  const usual: unknown = Reflect.get(Plain, 'prepareStackTrace')
  const trace: { stack?: unknown } = {}
  try {
    Plain.stackTraceLimit = 4
    Plain.prepareStackTrace = (_, sites) => sites.map((site) => `${site.getFileName()}`)
    Plain.captureStackTrace(trace, isOurs)
    const files = trace.stack as string[]
    const caller = files.find((file) => !file.includes(import.meta.filename))
    return caller !== undefined && isSource(caller.replace('file://', ''))
  } finally {
    Object.assign(Plain, { prepareStackTrace: usual, stackTraceLimit })
  }
}

/** Calls back with every error that the sources make from now on. It may not be complete yet. */
export const watchErrors = (tell: (error: object) => void): void => {
  for (const name of ['Error', 'TypeError', 'RangeError'] as const) {
    const trap = (target: ErrorConstructor, args: unknown[], made: Function): object => {
      const error = Reflect.construct(target, args, made) as object
      // The stack begins where it would without this.
      Plain.captureStackTrace(error, trap)
      if (isOurs()) tell(error)
      return error
    }
    const apply = (target: ErrorConstructor, _: unknown, args: unknown[]): object =>
      trap(target, args, target)
    globalThis[name] = new Proxy(globalThis[name], { construct: trap, apply })
  }
}
