import { resolve } from 'node:path'

// Watches every error that the sources create. The errors of nodes are exempt, since they are masked later: the
// events that report them are watched instead.
const sources = `${resolve(import.meta.dirname, '../../src')}/`
// The class that they all extend, whose constructor is not their author.
const base = `${sources}util/redlock-error.ts`
const ofNodes = /^(?:protocol\/node|redis\/(?!commands)[\w-]+)\.ts$/
const isSource = (file: string): boolean =>
  file.startsWith(sources) && !ofNodes.test(file.slice(sources.length))
const Plain = Error

/** Whether the caller of the error constructor is one of the sources. */
const isOurs = (): boolean => {
  const { stackTraceLimit } = Plain
  const usual: unknown = Reflect.get(Plain, 'prepareStackTrace')
  const trace: { stack?: unknown } = {}
  try {
    Plain.stackTraceLimit = 6
    Plain.prepareStackTrace = (_, sites) => sites.map((site) => `${site.getFileName()}`)
    Plain.captureStackTrace(trace, isOurs)
    const files = trace.stack as string[]
    const caller = files.find(
      (file) => !file.includes(import.meta.filename) && !file.includes(base),
    )
    return caller !== undefined && isSource(caller.replace('file://', ''))
  } finally {
    Object.assign(Plain, { prepareStackTrace: usual, stackTraceLimit })
  }
}

/** Calls back with every error that the sources create from now on, before it is complete. */
export const watchErrors = (callback: (error: object) => void): void => {
  for (const name of ['Error', 'TypeError', 'RangeError'] as const) {
    const trap = (target: ErrorConstructor, args: unknown[], newTarget: Function): object => {
      const error = Reflect.construct(target, args, newTarget) as object
      // The stack begins where it would without this trap.
      Plain.captureStackTrace(error, trap)
      if (isOurs()) callback(error)
      return error
    }
    const apply = (target: ErrorConstructor, _: unknown, args: unknown[]): object =>
      trap(target, args, target)
    globalThis[name] = new Proxy(globalThis[name], { construct: trap, apply })
  }
}
