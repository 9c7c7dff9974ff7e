import { lockKey, Redlock, type Refusal } from 'edge-redlock'
import express, { type NextFunction, type Request, type Response } from 'express'

const redlock = Redlock.fromEnv()
const app = express()

const refuse = (response: Response, { reason, retryAfter }: Refusal): void => {
  response
    .status(reason === 'locked' ? 429 : 503)
    .set('retry-after', `${Math.ceil(retryAfter / 1000)}`)
    .end()
}

const once = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
  const key = lockKey('submit', request.params['id'] as string)
  const result = await redlock.throttle(key, { window: 5_000 })
  if (result.ok) next()
  else refuse(response, result)
}

app.post('/submit/:id', once, (_request, response) => {
  response.sendStatus(202)
})

app.post('/grade/:id', async (request, response) => {
  const result = await redlock.tryAcquire(lockKey('grade', request.params.id))
  if (!result.ok) return refuse(response, result)
  await using lock = result.lock
  response.json({ token: await lock.fencingToken() })
})
