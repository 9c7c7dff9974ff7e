import { fromEnv, lockKey, type Rejection, throttle as throttleBy } from 'edge-redlock'
import { idempotent, lock, lockOf, throttle } from 'edge-redlock/node'
import express, { type NextFunction, type Request, type Response } from 'express'

const redlock = fromEnv()
const app = express()

type WithId = Request<{ id: string }>

app.post(
  '/submit/:id',
  throttle({
    redlock,
    window: 5_000,
    key: (req: WithId) => lockKey('submit', req.params.id),
    countIf: ({ ok }) => ok,
  }),
  (_req, res) => {
    res.sendStatus(202)
  },
)
// @ts-expect-error -- a parameter that the type does not have
lock({ redlock, key: (req: WithId) => lockKey('grade', req.params.name) })
// @ts-expect-error -- without a type, a request has only the common members
lock({ redlock, key: (req) => req.params.id })
app.post('/grade/:id', lock({ redlock, key: 'grade' }), async (req, res) => {
  res.json({ id: req.params.id, token: await lockOf(req)?.fencingToken() })
})

// Middleware for several routes names the type of the request.
type Session = { user?: { id: string } }
const once = idempotent({
  redlock,
  scope: (req: Request & Session) => req.user?.id ?? 'nobody',
  onRejected: ({ reason }, req, res: Response) => {
    if (reason !== 'in-flight') return undefined
    res.status(425).json({ path: req.path })
    return undefined
  },
  shouldRecord: ({ status }, req) => status < 300 && req.path !== '/',
})
app.use(express.json())
app.use('/orders', once)
app.post('/orders', once, async (req: Request<object, unknown, { id: string }>, res) => {
  res.status(201).json({ id: req.body.id })
})
const router = express
  .Router()
  .use(throttle({ redlock, key: (req) => req.headers.host ?? '', window: 1_000 }))
app.use('/api', router)

// @ts-expect-error -- a misspelled option
lock({ redlock, key: 'k', onLocked: () => undefined })
// @ts-expect-error -- undefined does not decide to let a request pass
lock({ redlock, key: () => undefined })

// The same by hand.
const reject = (response: Response, { reason, retryAfter }: Rejection): void => {
  response
    .status(reason === 'locked' ? 429 : 503)
    .set('retry-after', `${Math.ceil(retryAfter / 1000)}`)
    .end()
}
const byHand = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
  const key = lockKey('submit', request.params['id'] as string)
  const result = await throttleBy(redlock, key, { window: 5_000 })
  if (result.ok) next()
  else reject(response, result)
}
app.post('/by-hand/:id', byHand)
app.post('/grade-by-hand/:id', async (request, response) => {
  const result = await redlock.tryAcquire(lockKey('grade', request.params.id))
  if (!result.ok) return reject(response, result)
  await using lock = result.lock
  response.json({ token: await lock.fencingToken() })
})
