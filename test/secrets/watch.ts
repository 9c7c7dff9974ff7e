import { afterAll, afterEach, expect, vi } from 'vitest'
import type * as Problem from '../../src/http/problem-details.ts'
import type * as Inspecting from '../../src/inspect.ts'
import type * as Clients from '../../src/local/client.ts'
import type * as HeldLocks from '../../src/lock/held-lock.ts'
import type * as Rest from '../../src/nodes/rest-node.ts'
import type { Lease } from '../../src/quorum/lease.ts'
import { watchErrors } from './errors.ts'
import { addValue, leaked, note, secrets } from './seen.ts'

// Looks at every error and event that the suites produce, and at every lock, inspection, answer to a
// refused request and line of the console: none may show a token, or the value of a lock beyond the
// first eight characters.

const expectNone = (): void => expect(leaked()).toEqual([])

// All events go through the client, and all values come from it.
vi.mock('../../src/local/client.ts', async (load) => {
  const original = await load<typeof Clients>()
  const createClient: typeof original.createClient = (options) => {
    const { emit, makeValue, ...client } = original.createClient(options)
    return {
      ...client,
      makeValue: () => addValue(makeValue()),
      // Also where nobody listens.
      emit: (event) => emit?.(note('event', event)),
    }
  }
  return { ...original, createClient }
})

vi.mock('../../src/nodes/rest-node.ts', async (load) => {
  const original = await load<typeof Rest>()
  const restNode: typeof original.restNode = (options, ...rest) => {
    const node = original.restNode(options, ...rest)
    // Where the token is a url, as one test has it, the name of the node begins as it does.
    if (!options.token.startsWith('http')) secrets.keep(options.token)
    return note('node', node)
  }
  return { ...original, restNode }
})

vi.mock('../../src/lock/held-lock.ts', async (load) => {
  const original = await load<typeof HeldLocks>()
  const createLock: typeof original.createLock = (lease, ...rest) => {
    addValue(lease.value)
    return note('lock', original.createLock(lease, ...rest), false)
  }
  return { ...original, createLock }
})

vi.mock('../../src/inspect.ts', async (load) => {
  const original = await load<typeof Inspecting>()
  const inspect = async (lease: Lease) => {
    addValue(lease.value)
    return note('inspection', await original.inspect(lease))
  }
  return { ...original, inspect }
})

vi.mock('../../src/http/problem-details.ts', async (load) => {
  const original = await load<typeof Problem>()
  const problem: typeof original.problem = (...about) => {
    const response = original.problem(...about)
    void response
      .clone()
      .text()
      .then((text) => note('refused request', [text, [...response.headers]]))
    return response
  }
  return { ...original, problem }
})

watchErrors((error) => void note('error', error))

for (const name of ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const) {
  const original = console[name].bind(console)
  console[name] = (...words: unknown[]) => original(...note('line of the console', words))
}

afterEach(() => {
  expectNone()
  // Some of its work may still go on: its values are known for one more test.
  secrets.turn()
})
// Some of it comes after its test.
afterAll(expectNone)
