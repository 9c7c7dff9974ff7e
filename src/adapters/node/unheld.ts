import type { HoldResponse } from './handling.ts'

/** Holds nothing back: a throttle that counts each request has its result before the handler runs. */
export const unheld: HoldResponse = () => ({
  response: Promise.resolve(new Response(null)),
  follow: () => {},
  hasEnded: () => true,
  send: () => {},
  replace: async () => {},
  reset: () => {},
  problem: () => undefined,
})
