import { withThrottle } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export const action = withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (args) =>
  Response.json({ order: await order(keyOf(args)) }, { status: 201 }),
)
