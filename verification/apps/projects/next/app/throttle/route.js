import { withThrottle } from 'edge-redlock/fetch'
import { order, protectedBy } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (request) =>
  Response.json({ order: await order(keyOf(request)) }, { status: 201 }),
)
