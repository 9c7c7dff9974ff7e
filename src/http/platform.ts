import type { WaitUntil } from '../options/call-options.ts'

/** The services and limits of the platform that runs a request. */
export type Platform = {
  /** The runtime's `waitUntil`; undefined where there is none, as on Lambda and plain Node. */
  readonly waitUntil: WaitUntil | undefined
  /** Returns the ms until the platform ends the function; Infinity where the platform sets no limit. */
  readonly remainingTime: () => number
  /** Whether the process is frozen after the response, as on Lambda. */
  readonly freezes: boolean
}

/** The fields that are read from a context: of Workers, Vercel, Netlify or Lambda. */
type PlatformContext = {
  readonly waitUntil?: WaitUntil
  readonly deadline?: Date | number
  readonly getRemainingTimeInMillis?: () => number
}

// @vercel/functions reads the same global.
// https://vercel.com/docs/functions/functions-api-reference
const vercelKey = Symbol.for('@vercel/request-context')

/**
 * Finds `waitUntil` and the time limit of a request in the contexts that came with it, such as an
 * execution context or the context of a Lambda, and in the global that Vercel sets.
 */
export const platformOf = (contexts: readonly unknown[]): Platform => {
  const vercel = (globalThis as { [vercelKey]?: { readonly get?: () => PlatformContext } })[
    vercelKey
  ]?.get?.()
  const withMethod = (name: keyof PlatformContext): PlatformContext | undefined =>
    ([...contexts, vercel] as readonly (PlatformContext | undefined)[]).find(
      (context) => typeof context?.[name] === 'function',
    )
  const execution = withMethod('waitUntil')
  const lambda = withMethod('getRemainingTimeInMillis')
  return {
    // Called as a method: workerd rejects a detached waitUntil as an illegal invocation.
    waitUntil: execution && ((work) => execution.waitUntil!(work)),
    remainingTime: () =>
      lambda?.getRemainingTimeInMillis!() ?? Number(vercel?.deadline ?? Infinity) - Date.now(),
    freezes: !!lambda,
  }
}
