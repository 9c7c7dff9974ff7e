import type {
  AcquireOptions,
  Contestant,
} from '../../verification/comparison/contestants/contestant.ts'
import * as shared from '../shared/contestants.ts'

/** Refuses at once, as the middleware does by default, instead of counting attempts. */
const withoutWaiting = (contestant: Contestant): Contestant => ({
  ...contestant,
  open: async (setup) => {
    const session = await contestant.open(setup)
    return {
      ...session,
      acquire: (keys, options) => {
        const all: AcquireOptions & { readonly wait: number } = { ...options, wait: 0 }
        return session.acquire(keys, all)
      },
    }
  },
})

/** This project, once for each strategy. */
export const own: readonly Contestant[] = shared.own.map(withoutWaiting)

export { rivals } from '../shared/contestants.ts'
