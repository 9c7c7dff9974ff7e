import type { HoldResponse } from './handling.ts'

/** Holds nothing back: without `countIf`, a throttle does not depend on the response. */
export const unheld: HoldResponse = () => ({
  response: Promise.resolve(new Response(null)),
  follow: () => {},
  hasEnded: () => true,
  send: () => {},
  replace: async () => {},
  reset: () => {},
  problem: () => undefined,
})
