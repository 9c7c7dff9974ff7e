import { withThrottle } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export const POST = withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (event) =>
  Response.json({ order: await order(keyOf(event)) }, { status: 201 }),
)
