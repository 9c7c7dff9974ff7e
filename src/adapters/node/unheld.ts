import type { Hold } from './handling.ts'

/** Holds nothing back: a throttle that counts each request knows the answer before the handler runs. */
export const unheld: Hold = () => ({
  response: Promise.resolve(new Response(null)),
  follow: () => {},
  hasEnded: () => true,
  send: () => {},
  replace: async () => {},
  reset: () => {},
  problem: () => undefined,
})
