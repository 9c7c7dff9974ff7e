import type { MiddlewareHandler } from 'hono'

const forbidden = 'Only the page of npm start may use this server.'

/**
 * Rejects requests unless they come from a page with one of these origins: browsers send the origin with every
 * cross-origin request. The host must be the address of this server. Otherwise, another site could point its domain to
 * this server (DNS rebinding).
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
