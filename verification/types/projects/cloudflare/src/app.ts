import { type Context, Hono } from 'hono'
import { fromEnv, lockKey, Redlock } from 'edge-redlock'
import { lock, type RequestRejection, throttle } from 'edge-redlock/hono'

type AppEnv = { Bindings: Env; Variables: { userId: string } }

const redlock = (c: Context<AppEnv>) => fromEnv(c.env)
const redlockOfAny = (c: Context) => fromEnv(c.env)
const redlockOfBindings = (c: Context<{ Bindings: Env }>) => fromEnv(c.env)
const onRejected = (_: RequestRejection, c: Context) => c.text('busy', 423)

export const app = new Hono<AppEnv>()

// The Env of `redlock` types the context of `key`.
app.post(
  '/assignments/:id/submit',
  throttle({ redlock, window: 5_000, key: (c) => lockKey('submit', c.get('userId')) }),
  (c) => c.text('submitted', 202),
)
app.post(
  '/assignments/:id/grade',
  lock({ redlock, onRejected, key: (c) => lockKey('grade', c.var.userId) }),
  (c) => {
    c.var.lock?.signal.throwIfAborted()
    // @ts-expect-error -- c.var.lock is not an any
    c.var.lock?.nonsense()
    const id: string = c.req.param('id')
    return c.text(id + c.var.userId)
  },
)
// @ts-expect-error -- a misspelled variable would remove the lock
lock({ redlock, key: (c) => c.get('usrId') })
// @ts-expect-error -- a misspelled or unknown variable
throttle({ redlock, window: 5_000, key: (c) => c.get('usrId') })
// @ts-expect-error -- a misspelled or unknown variable
lock({ redlock, key: (c) => c.var.usrId })
// @ts-expect-error -- a misspelled or unknown variable
lock({ redlock, onRejected, key: async (c) => c.get('usrId') })
// @ts-expect-error -- even without information about the Env
lock({ redlock: redlockOfAny, key: (c) => c.get('usrId') })
// @ts-expect-error -- a misspelled or unknown variable
lock({ redlock: redlockOfAny, key: (c) => c.var.usrId })
// @ts-expect-error -- a misspelled or unknown variable
lock({ redlock: redlockOfBindings, key: (c) => c.get('userId') })
// @ts-expect-error -- a misspelled or unknown variable
throttle({ redlock: new Redlock({ nodes: [] }), window: 5_000, key: (c) => c.get('usrId') })
// @ts-expect-error -- also with a named Env
lock<AppEnv>({ redlock, key: (c) => c.get('usrId') })

// A separate Env, by name or by the type of the context.
lock<AppEnv>({ redlock: redlockOfAny, key: (c) => c.get('userId') })
lock<AppEnv>({ redlock: redlockOfBindings, onRejected, key: (c) => c.get('userId') })
lock<AppEnv>({ redlock: new Redlock({ nodes: [] }), key: (c) => c.get('userId') })
lock({ redlock: redlockOfAny, key: (c: Context<AppEnv>) => c.get('userId') })
lock({ redlock: redlockOfBindings, key: (c: Context<AppEnv>) => c.get('userId') })
lock({ redlock: (c) => fromEnv(c.env), key: (c) => c.req.header('x-user') ?? null })
lock({ redlock, key: 'report', onRejected: (_, c: Context<{ Bindings: Env }>) => c.text('busy') })

// Hono's type does not contain the path, so each parameter is a string.
app.post(
  '/reports/:id',
  lock({ redlock, key: (c) => lockKey('report', c.req.param('id')) }),
  throttle<AppEnv>({
    redlock,
    window: 5_000,
    key: (c) => lockKey('report', c.req.param('id')),
    countIf: ({ ok }, c) => ok && c.req.method === 'POST',
  }),
  (c) => c.text(c.req.param('id')),
)
lock({ redlock, key: (c: Context<AppEnv, '/reports/:id'>) => lockKey(c.req.param('id')) })
// @ts-expect-error -- the named path has no such parameter
lock({ redlock, key: (c: Context<AppEnv, '/reports/:id'>) => lockKey(c.req.param('di')) })

app.use('/reports/*', lock({ redlock, key: (c) => c.get('userId') }))
// @ts-expect-error -- a misspelled option
lock({ redlock, key: 'report', tll: 5_000 })
// @ts-expect-error -- an option of the other middleware
lock({ redlock, key: 'report', window: 5_000 })
