import type { ServerResponse } from 'node:http'

const setters = ['setHeader', 'setHeaders', 'appendHeader', 'removeHeader', 'writeHead'] as const

const refuse = (): never => {
  const error = new Error('Cannot set headers after they are sent to the client')
  throw Object.assign(error, { code: 'ERR_HTTP_HEADERS_SENT' })
}

/**
 * Makes a response look to its handler as if it were sent: what it sets now would reach neither its client nor a
 * replay otherwise.
 *
 * @returns the function that ends that.
 */
export const pretendSent = (res: ServerResponse, isEnded: () => boolean): (() => void) => {
  const properties: Readonly<Record<string, PropertyDescriptor>> = {
    headersSent: { get: () => true },
    writableEnded: { get: isEnded },
    ...Object.fromEntries(setters.map((name) => [name, { value: refuse, writable: true }])),
  }
  const ends = Object.entries(properties).map(([name, property]) => {
    const own = Object.getOwnPropertyDescriptor(res, name)
    Object.defineProperty(res, name, { configurable: true, ...property })
    return () => {
      if (own) Object.defineProperty(res, name, own)
      else Reflect.deleteProperty(res, name)
    }
  })
  return () => {
    for (const end of ends.splice(0)) end()
  }
}
