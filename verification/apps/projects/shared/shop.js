import { order } from './work.js'

// The functions of a user that the guide calls. The harness counts orders by their item.

export const createOrder = (item) => order(item)

export const userOf = () => 'user'
