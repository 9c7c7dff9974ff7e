import { afterAll, afterEach, expect, vi } from 'vitest'
import type * as Checks from '../../src/operations/doctor/check.ts'
import type * as Problem from '../../src/requests/problem-details.ts'
import type * as Inspecting from '../../src/client/inspect.ts'
import type * as Clients from '../../src/core/process/client.ts'
import type * as HeldLocks from '../../src/core/lock/held-lock.ts'
import type * as Rest from '../../src/redis/rest-node.ts'
import { watchErrors } from './errors.ts'
import { addValue, leaked, note, secrets } from './seen.ts'

// Checks every error, event, lock, inspection, check, response to a rejected request and console line that the
// suites produce: none may show a token, or more of the value of a lock than its first eight characters.

const expectNone = (): void => expect(leaked()).toEqual([])

// The client emits all events that have a listener, and generates all values.
vi.mock('../../src/core/process/client.ts', async (load) => {
  const original = await load<typeof Clients>()
  const createClient: typeof original.createClient = (options) => {
    const { emit, makeValue, ...client } = original.createClient(options)
    return {
      ...client,
      makeValue: () => addValue(makeValue()),
      emit: emit && ((event) => emit(note('event', event))),
    }
  }
  return { ...original, createClient }
})

vi.mock('../../src/redis/rest-node.ts', async (load) => {
  const original = await load<typeof Rest>()
  const restNode: typeof original.restNode = (options, ...rest) => {
    const node = original.restNode(options, ...rest)
    // In one test the token is a url, and the name of the node begins like it.
    if (!options.token.startsWith('http')) secrets.keep(options.token)
    return note('node', node)
  }
  return { ...original, restNode }
})

vi.mock('../../src/core/lock/held-lock.ts', async (load) => {
  const original = await load<typeof HeldLocks>()
  const createLock: typeof original.createLock = (ballot, ...more) => {
    addValue(ballot.attempt.value)
    return note('lock', original.createLock(ballot, ...more), false)
  }
  return { ...original, createLock }
})

vi.mock('../../src/client/inspect.ts', async (load) => {
  const original = await load<typeof Inspecting>()
  const inspect: typeof original.inspect = async (...about) =>
    note('inspection', await original.inspect(...about))
  return { ...original, inspect }
})

vi.mock('../../src/operations/doctor/check.ts', async (load) => {
  const original = await load<typeof Checks>()
  const check: typeof original.check = async (...about) =>
    note('check', await original.check(...about))
  return { ...original, check }
})

vi.mock('../../src/requests/problem-details.ts', async (load) => {
  const original = await load<typeof Problem>()
  const problem: typeof original.problem = (...about) => {
    const response = original.problem(...about)
    void response
      .clone()
      .text()
      .then((text) => note('rejected request', [text, [...response.headers]]))
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
  // Work of this test may still be running, so its values are remembered for one more test.
  secrets.turn()
})
// Some output comes after its test.
afterAll(expectNone)
