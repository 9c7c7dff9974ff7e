import type { Lock } from '../core/lock/lock.ts'
import type { Platform } from './background.ts'

/** One request to one middleware or wrapped function, as an adapter describes it. */
export type RequestScope<Args extends readonly unknown[]> = {
  /** The arguments of all functions in the options, such as the context of Hono. */
  readonly args: Args
  /**
   * Objects that identify the request: no other request has one of them, and nested middleware and
   * functions share one.
   */
  readonly ids: readonly object[]
  /** The request. For an event of Lambda it is made when it is read. */
  readonly request: Request
  /** The URL before the path of a mount was left out of it, if the platform knows it. */
  readonly url?: string | undefined
  /** The request, if functions of the options get it: they read a copy of its body. */
  readonly lent?: Request | undefined
  readonly platform: Platform
  /** Shows the handler the lock of the request: the innermost, or undefined. */
  readonly show?: ((lock: Lock | undefined) => void) | undefined
  /** Sets headers before the handler runs, and returns true, where a response exists by then. */
  readonly announce?: ((headers: Readonly<Record<string, string>>) => true) | undefined
  /** Makes a copy of a body that was read before. Only a gate that reads the request needs it. */
  readonly copyBody?: (() => Promise<Response>) | undefined
  /** Whether the framework may make a response of what a handler throws. Default: true. */
  readonly throwsAnswers?: false | undefined
  /** Whether the response stands for an error that the handler has thrown. */
  readonly hasFailed?: (() => boolean) | undefined
  /** What the handler has returned: a response may only stand in for it, as for a result of Lambda. */
  readonly returned: (response: Response) => unknown
  /** Why no response can be made of what the handler has returned. */
  readonly problem?: (() => string | undefined) | undefined
}
