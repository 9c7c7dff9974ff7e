import type { WaitUntil } from '../options/call-options.ts'

/** One request, as its platform shows it. */
export type Exchange = {
  /** The same for all that is done with this request, and for nothing else. */
  readonly id: object
  /** Undefined where it is an event of another kind, as on Lambda. */
  readonly request: Request | undefined
  /** The `accept` header. */
  readonly accept: string | null | undefined
  /** The runtime's `waitUntil`; undefined where it has none, as on Lambda and plain Node. */
  readonly waitUntil: WaitUntil | undefined
  /** Reads how many ms there are until the platform ends the function; Infinity if it does not say. */
  readonly remaining: () => number
  /** Whether the process stands still once the response is out, unless `waitUntil` prevents it. */
  readonly freezes: boolean
}

/** What platforms pass along with a request, or keep in a global of theirs. */
type PlatformContext = {
  readonly waitUntil?: WaitUntil
  readonly deadline?: Date | number
  readonly getRemainingTimeInMillis?: () => number
}

// What @vercel/functions reads too. https://vercel.com/docs/functions/functions-api-reference
const vercel = (): PlatformContext | undefined =>
  (globalThis as { [key: symbol]: { get?: () => PlatformContext } | undefined })[
    Symbol.for('@vercel/request-context')
  ]?.get?.()

/**
 * What the platform says of a request, in whichever of the contexts: an execution context, that of
 * a Lambda; or, on Vercel, in a global.
 */
export const platformOf = (
  contexts: readonly unknown[],
): Pick<Exchange, 'waitUntil' | 'remaining' | 'freezes'> => {
  const global = vercel()
  const all = [...contexts, global].map((context) => Object(context) as PlatformContext)
  const keeper = all.find(({ waitUntil }) => typeof waitUntil === 'function')
  const lambda = all.find((context) => typeof context.getRemainingTimeInMillis === 'function')
  return {
    // Called on its object: workerd refuses a detached waitUntil as an illegal invocation.
    waitUntil: keeper && ((work) => keeper.waitUntil!(work)),
    remaining: () =>
      lambda?.getRemainingTimeInMillis!() ??
      (global?.deadline ? Number(global.deadline) - Date.now() : Infinity),
    freezes: !!lambda,
  }
}
