import { withThrottle } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export const POST = withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (context) =>
  Response.json({ order: await order(keyOf(context)) }, { status: 201 }),
)
