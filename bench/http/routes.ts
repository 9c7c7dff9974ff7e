/** A request to one of the Worker's routes, and the maximum number of commands that it may cost. */
export type Route = {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly maxCommands: number
}

/** The number of nodes. */
export const count = 3

// A node that replies after the decision gets another command, which releases its grant.
const rejected = count + 1

/** The lock that is compared with handwritten requests. */
export const free = 'lock: free'

const passes = 'throttle: passes'

/** The first rejection of a throttle, which only one request can receive. */
export const firstRejection = 'throttle: rejected, first'

export const routes: readonly Route[] = [
  { name: 'no middleware', path: '/', status: 200, maxCommands: 0 },
  { name: free, path: '/lock', status: 200, maxCommands: 2 * count },
  { name: 'lock: held by another', path: '/lock/held', status: 409, maxCommands: rejected },
  { name: passes, path: '/throttle', status: 200, maxCommands: count },
  { name: firstRejection, path: '/throttle/closed', status: 429, maxCommands: rejected },
  { name: 'throttle: rejected again', path: '/throttle/closed', status: 429, maxCommands: 0 },
]

/** The routes that are compared with Workers that send the same requests by hand. */
export const compared = routes.filter(({ name }) => [free, passes].includes(name))
