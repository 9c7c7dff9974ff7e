import { guarded } from './guarded.ts'
import { type Hold, isFunction, tellPast } from './handling.ts'
import { watchLife } from './lifetime.ts'
import { pretendSent } from './pretence.ts'

/**
 * Holds only the end of a response back, until the lock has been released: the next request of the same client must
 * not meet the lock of the one before.
 *
 * The lock ends with the response and the promise of the handler. A handler that waits for the end of its response,
 * as `pipeline` does, would wait for ever if its promise were waited for before the end is sent.
 */
export const holdEnd: Hold = (res, patience) => {
  // That of other middleware, if that has replaced it before.
  const end = res.end.bind(res) as (...args: readonly unknown[]) => unknown
  const listeners = res.listenerCount('finish')
  let state: 'open' | 'held' | 'passed' = 'open'
  let call: readonly unknown[] = []
  let stopPretending = (): void => {}
  let resolve!: (response: Response) => void
  let reject!: (error: unknown) => void
  const response = new Promise<Response>((onResponse, onError) => {
    resolve = onResponse
    reject = onError
  })
  // It may fail when nobody waits for it any more.
  response.catch(() => {})
  const finish = (): void => resolve(new Response(null))
  const pass = (): void => {
    life.stop()
    if (state === 'held') {
      stopPretending()
      state = 'passed'
      end(...call)
    }
    state = 'passed'
  }
  const giveUp = (error: unknown): void => {
    life.stop()
    state = 'passed'
    reject(error)
  }
  const life = watchLife(res, {
    patience,
    hasBegun: () => res.headersSent,
    onGone: giveUp,
    onOver: () => state !== 'open' && finish(),
    // An error after the end is told when the end has been sent.
    onFailed: (error) => (state === 'open' ? giveUp(error) : finish()),
    onClose: () => {
      if (state !== 'open' || !res.writableEnded) return
      tellPast()
      life.stop()
      finish()
    },
  })
  const judge = guarded((): void => {
    if (!life.isRunning()) return
    const isAwaited = call.some(isFunction) || res.listenerCount('finish') > listeners
    if (isAwaited) finish()
    else pass()
  })
  const endLater = (...args: readonly unknown[]): unknown => {
    if (state === 'passed') return end(...args)
    const done = args.find(isFunction)
    if (state === 'held') {
      if (done) queueMicrotask(done)
      return res
    }
    state = 'held'
    call = args
    life.stop()
    stopPretending = pretendSent(res, () => true)
    // Its promise is known once the handler has returned, and settles in this turn if it has nothing else to do.
    queueMicrotask(() => (life.isRunning() ? void setImmediate(judge) : finish()))
    return res
  }
  Object.assign(res, { end: endLater })
  return {
    response,
    follow: life.follow,
    hasEnded: () => state !== 'open',
    send: pass,
    replace: async () => pass(),
    reset: pass,
    problem: () => undefined,
  }
}
