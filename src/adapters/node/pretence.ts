import type { ServerResponse } from 'node:http'
import { isHttp2 } from './lifetime.ts'

const setters = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead'] as const

const reject = (): never => {
  const error = new Error('Cannot set headers after they are sent to the client')
  throw Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' })
}

/**
 * Makes a response appear sent to its handler, so that setting a header throws. Otherwise, the header would silently be
 * missing from both the response and its replays.
 *
 * @returns a function that restores the response.
 */
export const pretendSent = (res: ServerResponse, isEnded: () => boolean): (() => void) => {
  const properties: Readonly<Record<string, PropertyDescriptor>> = {
    headersSent: { get: () => true },
    writableEnded: { get: isEnded },
    ...Object.fromEntries(setters.map((name) => [name, { value: reject, writable: true }])),
  }
  const { statusCode } = res
  // HTTP/2 responses have no status message, and reading the property causes a warning.
  const statusMessage = isHttp2(res) ? undefined : res.statusMessage
  const ends = Object.entries(properties).map(([name, property]) => {
    const own = Object.getOwnPropertyDescriptor(res, name)
    Object.defineProperty(res, name, { configurable: true, ...property })
    return () => {
      if (own) Object.defineProperty(res, name, own)
      else Reflect.deleteProperty(res, name)
    }
  })
  return () => {
    if (!ends[0]) return
    for (const end of ends.splice(0)) end()
    // Undo changes of the status: Node would accept a late change, but not send it.
    res.statusCode = statusCode
    if (!isHttp2(res)) res.statusMessage = statusMessage!
  }
}
