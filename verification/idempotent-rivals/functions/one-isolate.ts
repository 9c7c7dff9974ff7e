import { type Contestant, makeLink } from '../contestant.ts'
import { functionInstance } from './instance.ts'

/** Calls in one isolate that share a promise. */
export const oneIsolate: Contestant = {
  name: 'a `Map` of promises',
  folder: undefined,
  lacks: {
    'shared store': 'the memory of one isolate',
    'several servers': 'the memory of one isolate',
    keeping: 'a value is gone when its run has ended',
    expiry: 'a value is gone when its run has ended',
  },
  open: async ({ handler }) => {
    const running = new Map<string, Promise<string>>()
    const run = async (key: string): Promise<string> => {
      try {
        return Buffer.from((await handler()).body).toString()
      } finally {
        running.delete(key)
      }
    }
    return functionInstance(makeLink(), (key) => {
      const value = running.get(key) ?? run(key)
      running.set(key, value)
      return value
    })
  },
}
