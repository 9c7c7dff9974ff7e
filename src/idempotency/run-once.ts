import type { Lock } from '../lock/lock.ts'
import { type AnswerLimits, writeAnswer, type Written } from './answer.ts'
import { type IdempotencyOptions, isLasting } from './options.ts'

/** The handler of a request, and how to read its answers. */
export type Handler<T> = {
  /** Runs it. The lock is undefined for a request that is not claimed. */
  readonly run: (lock: Lock | undefined) => Promise<T>
  /**
   * The response that its answer stands for, or what is recorded in its place; undefined for what cannot be
   * recorded.
   */
  readonly responseOf: (answer: T) => Response | Written | undefined
  /** The answer to send, given the response that was read for the record. */
  readonly answerOf: (answer: T, response: Response) => T
}

// The claims of requests whose handlers run, by the locks of the request. A second middleware around the
// same handler must not wait for the first.
const claims = new WeakMap<readonly Lock[], Lock>()

/** The claim around a request, whatever its name; undefined where there is none. */
export const claimAround = (held: readonly Lock[]): Lock | undefined => claims.get(held)

/** Cancels the body of a response that is not sent. */
export const drop = (response: Response): void => {
  if (!response.bodyUsed) response.body?.cancel().catch(() => {})
}

/** Whether to record an answer. The function `record` gets a copy, whose body it may read. */
const isRecorded = async <Args extends readonly unknown[], T>(
  { record }: IdempotencyOptions<Args, T>,
  args: Args,
  answer: T,
  response: Response,
): Promise<boolean> => {
  if (!record) return isLasting(response)
  if (!(answer instanceof Response)) return record(answer, ...args)
  const copy = answer.clone()
  try {
    return await record(copy as T, ...args)
  } finally {
    drop(copy)
  }
}

/** Reads an answer for its record; undefined where it is not to be recorded. */
export const readForRecord = async <Args extends readonly unknown[], T>(
  answer: T,
  responseOf: Handler<T>['responseOf'],
  options: IdempotencyOptions<Args, T>,
  args: Args,
  limits: AnswerLimits,
): Promise<Written | undefined> => {
  const response = responseOf(answer)
  if (!(response instanceof Response)) return response
  if (!(await isRecorded(options, args, answer, response))) return undefined
  return writeAnswer(response, limits)
}

/** What a handler has answered; `written` is undefined for an answer that is not to be recorded. */
export type Ran<T> = { readonly answer: T; readonly written: Written | undefined }

/**
 * Runs the handler, with a handle of its own on the lock, and reads its answer for the record.
 *
 * @param held - The locks of the request, which nested middleware finds.
 */
export const runOnce = async <T>(
  lock: Lock,
  held: Lock[],
  run: Handler<T>['run'],
  write: (answer: T) => Promise<Written | undefined>,
): Promise<Ran<T>> => {
  // The claim outlives a handler that releases the lock.
  const handle = lock.reenter()
  held.push(handle)
  claims.set(held, handle)
  try {
    const answer = await run(handle)
    return { answer, written: await write(answer) }
  } finally {
    claims.delete(held)
    held.splice(held.lastIndexOf(handle), 1)
    await handle.release()
  }
}
