import type { ServerResponse } from 'node:http'
import { guarded } from './guarded.ts'
import { isClosed, streamOf } from './lifetime.ts'

type AnyMethod = (...args: unknown[]) => unknown

const ofSocket = ['destroy', 'destroySoon', 'resetAndDestroy', 'end'] as const

/**
 * The methods that close the connection of a response. An HTTP/2 session is not included, because other responses
 * share the session.
 */
const closersOf = (res: ServerResponse): readonly (readonly [object, string])[] => {
  const stream = streamOf(res)
  if (stream)
    return [[res, 'destroy'], ...['destroy', 'close'].map((name) => [stream, name] as const)]
  const { req, socket } = res
  // A pipelined response has no socket before its turn.
  const names = socket ? ofSocket : []
  return [[res, 'destroy'], [req, 'destroy'], ...names.map((name) => [socket!, name] as const)]
}

/**
 * Defers calls that close the connection after the handler has ended a held response. The caller assumes that the
 * response has been sent, as it would be without this middleware. Express's `finalhandler`, for example, closes the
 * connection after a late error.
 *
 * @returns a function that restores the methods, and makes the deferred calls once the response has been sent.
 */
export const deferDestroy = (res: ServerResponse): (() => void) => {
  const [{ req, socket }, stream] = [res, streamOf(res)]
  const deferred: (() => void)[] = []
  let isOver = false
  /** Whether the caller is Node: it destroys requests whose body has ended, and all parts of a closed connection. */
  const isOfNode = (target: object, code: unknown): boolean => {
    if (isClosed(res)) return true
    // Node passes an error code when it closes a stream. Application code closes a stream without one.
    if (stream) return stream.closed || !!stream.session?.destroyed || typeof code === 'number'
    return !!socket?.destroyed || (target === req && req.complete && req.readableEnded)
  }
  const ends = closersOf(res).map(([target, name]) => {
    const own = Object.getOwnPropertyDescriptor(target, name)
    const call = Reflect.get(target, name) as AnyMethod
    const value: AnyMethod = (...args) => {
      if (isOver || isOfNode(target, args[0])) return call.apply(target, args)
      deferred.push(() => call.apply(target, args))
      return target
    }
    Object.defineProperty(target, name, { configurable: true, writable: true, value })
    return () => {
      if (Reflect.get(target, name) !== value) return
      if (own) Object.defineProperty(target, name, own)
      else Reflect.deleteProperty(target, name)
    }
  })
  return () => {
    isOver = true
    for (const end of ends.splice(0)) end()
    if (!deferred[0]) return
    const run = guarded(() => {
      for (const call of deferred.splice(0)) call()
    })
    res.once('finish', run).once('close', run)
  }
}
