import type { MiddlewareHandler } from 'hono'

const forbidden = 'Only the page of npm start may use this server.'

/**
 * Rejects what does not come from a page with one of these origins: a browser names the origin of the
 * page in every request across origins. The host must be this server by its address, so that another
 * site whose name has come to lead here (DNS rebinding) is rejected as well.
 */
export const onlyFrom = (origins: readonly string[]): MiddlewareHandler =>
  async function onlyFrom(c, next) {
    const { hostname } = new URL(c.req.url)
    const host = c.req.header('host')
    const origin = c.req.header('origin')
    const isHere = host !== undefined && /^127\.0\.0\.1:\d+$/.test(host) && hostname === '127.0.0.1'
    if (!isHere || origin === undefined || !origins.includes(origin)) return c.text(forbidden, 403)
    c.header('access-control-allow-origin', origin)
    c.header('cache-control', 'no-store')
    c.header('vary', 'origin')
    return next()
  }
