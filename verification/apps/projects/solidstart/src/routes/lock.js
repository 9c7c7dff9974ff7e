import { withLock } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export const POST = withLock(protectedBy(keyOf), async (event) =>
  Response.json({ order: await order(keyOf(event)) }, { status: 201 }),
)
