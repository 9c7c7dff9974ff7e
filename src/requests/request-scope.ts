import type { Lock } from '../core/lock/lock.ts'
import type { Platform } from './background.ts'

/** An adapter's description of one request to one middleware or wrapped function. */
export type RequestScope<Args extends readonly unknown[]> = {
  /** The arguments that all option functions receive, such as the Hono context. */
  readonly args: Args
  /**
   * Objects that identify the request. No other request has any of them, and nested middleware and functions share at
   * least one.
   */
  readonly ids: readonly object[]
  /** The request. For a Lambda event, it is created on first access. */
  readonly request: Request
  /** The URL that still includes the mount path, if the platform provides it. */
  readonly url?: string | undefined
  /** The request, if option functions receive it. They read a copy of its body. */
  readonly lent?: Request | undefined
  readonly platform: Platform
  /** Exposes a lock to the handler: the innermost lock of the request, or undefined if there is none. */
  readonly show?: ((lock: Lock | undefined) => void) | undefined
  /** Sets headers before the handler runs, and returns true. Absent if the platform has no response object by then. */
  readonly announce?: ((headers: Readonly<Record<string, string>>) => true) | undefined
  /** Copies a body that was read before. Only gates that read the request need this. */
  readonly copyBody?: (() => Promise<Response>) | undefined
  /** Whether the framework can turn a thrown value into a response. Default: true. */
  readonly throwsAnswers?: false | undefined
  /** Whether the response represents an error that the handler threw. */
  readonly hasFailed?: (() => boolean) | undefined
  /** Returns what the handler returned. On Lambda, for example, `response` only represents that value. */
  readonly returned: (response: Response) => unknown
  /** Explains why the handler's result cannot be read as a response; undefined if it can. */
  readonly problem?: (() => string | undefined) | undefined
}
