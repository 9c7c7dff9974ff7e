import type { Lock } from '../core/lock/lock.ts'
import type { Platform } from './background.ts'

/** One request to one middleware or wrapped function, as an adapter describes it. */
export type RequestScope<Args extends readonly unknown[]> = {
  /** The arguments of all functions in the options, such as the context of Hono. */
  readonly args: Args
  /**
   * Objects that identify the request: no other request has one of them, and nested middleware and functions share one.
   */
  readonly ids: readonly object[]
  /** The request. For a Lambda event, it is created when it is read. */
  readonly request: Request
  /** The URL that still includes the path of a mount, if the platform provides it. */
  readonly url?: string | undefined
  /** The request, if functions of the options get it. They read a copy of its body. */
  readonly lent?: Request | undefined
  readonly platform: Platform
  /** Shows the handler the lock of the request: the innermost, or undefined. */
  readonly show?: ((lock: Lock | undefined) => void) | undefined
  /** Sets headers before the handler runs, and returns true. It is absent if no response exists by then. */
  readonly announce?: ((headers: Readonly<Record<string, string>>) => true) | undefined
  /** Makes a copy of a body that was read before. Only a gate that reads the request needs it. */
  readonly copyBody?: (() => Promise<Response>) | undefined
  /** Whether the framework may turn a thrown value into a response. Default: true. */
  readonly throwsAnswers?: false | undefined
  /** Whether the response represents an error that the handler has thrown. */
  readonly hasFailed?: (() => boolean) | undefined
  /** The value that the handler has returned. A response may only represent it, for example on Lambda. */
  readonly returned: (response: Response) => unknown
  /** Why the answer of the handler cannot be read as a response. */
  readonly problem?: (() => string | undefined) | undefined
}
