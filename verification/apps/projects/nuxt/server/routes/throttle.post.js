import { withThrottle } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

export default defineEventHandler(
  withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (event) => ({
    order: await order(keyOf(event)),
  })),
)
