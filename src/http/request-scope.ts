import type { WaitUntil } from '../options/call-options.ts'
import type { RequestOptions } from './options.ts'
import type { Platform } from './platform.ts'

/** The options that every middleware has. */
export type ScopeOptions<Args extends readonly unknown[]> = {
  readonly redlock: unknown
  readonly waitUntil?: ((...request: Args) => WaitUntil | undefined) | undefined
}

/** One request to one middleware or wrapped function, as an adapter describes it. */
export type RequestScope<
  Args extends readonly unknown[],
  Options extends ScopeOptions<Args> = RequestOptions<Args>,
> = {
  readonly options: Options
  /** The arguments of all functions in the options, such as the context of Hono. */
  readonly args: Args
  /**
   * Objects that identify the request: no other request has one of them, and nested middleware and
   * functions share one.
   */
  readonly ids: readonly object[]
  /** Undefined where the platform passes an event instead of a request, as on Lambda. */
  readonly request: Request | undefined
  /** Reads the `accept` header, which only a refusal needs: workerd makes headers when they are read. */
  readonly accept: () => string | null | undefined
  readonly platform: Platform
  /**
   * Whether a response was made of text for this request alone, so that its body needs nobody to
   * read it. Undefined where the platform does not tell.
   */
  readonly isComplete?: ((response: unknown) => boolean) | undefined
}
