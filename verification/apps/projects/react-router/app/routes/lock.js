import { withLock } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export const action = withLock(protectedBy(keyOf), async (args) =>
  Response.json({ order: await order(keyOf(args)) }, { status: 201 }),
)
