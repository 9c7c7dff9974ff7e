import { type Context, Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { fromEnv } from 'edge-redlock'
import { refreshed } from './tokens.ts'

type Env = { REDLOCK_NODES: unknown; TOKEN_KEYS: string; TOKEN_URL: string; CLIENT_ID: string }

const app = new Hono<{ Bindings: Env }>()

/** Keeps a run alive if its client disconnects. */
const waitUntilOf = (c: Context) => (work: Promise<unknown>) => {
  try {
    c.executionCtx.waitUntil(work)
  } catch {
    // Tests have no execution context. The work continues without one.
  }
}

app.post('/session', async (c) => {
  const old = getCookie(c, 'refresh') // In production, encrypt the cookie.
  if (!old) return c.text('Sign in first', 401)
  const provider = {
    url: c.env.TOKEN_URL,
    clientId: c.env.CLIENT_ID,
    keys: JSON.parse(c.env.TOKEN_KEYS), // [{ "id": 2, "secret": "..." }, { "id": 1, "secret": "..." }]
    waitUntil: waitUntilOf(c),
  }
  const tokens = await refreshed(fromEnv(c.env), provider, old)
  setCookie(c, 'refresh', tokens.refresh_token, { httpOnly: true, secure: true, sameSite: 'Lax' })
  return c.json({ access: tokens.access_token })
})

export default app
