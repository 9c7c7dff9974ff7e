import { withLock } from 'edge-redlock/fetch'
import { order, protectedBy } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withLock(protectedBy(keyOf), async (request) =>
  Response.json({ order: await order(keyOf(request)) }, { status: 201 }),
)
