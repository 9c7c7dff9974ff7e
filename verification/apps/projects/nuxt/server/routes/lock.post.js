import { withLock } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export default defineEventHandler(
  withLock(protectedBy(keyOf), async (event) => ({ order: await order(keyOf(event)) })),
)
