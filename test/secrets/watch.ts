import { afterAll, afterEach, expect, vi } from 'vitest'
import type * as Problem from '../../src/http/problem-details.ts'
import type * as Inspecting from '../../src/inspect.ts'
import type * as Hold from '../../src/lock/held-lock.ts'
import type * as Rest from '../../src/nodes/rest-node.ts'
import type * as Settings from '../../src/options/resolve-options.ts'
import type { Claim } from '../../src/quorum/lease.ts'
import { watchErrors } from './errors.ts'
import { addValue, leaked, note, secrets } from './seen.ts'

// Looks at every error and event that the suites produce, and at every lock, inspection, answer to a
// refused request and line of the console: none may show a token, or the value of a lock beyond the
// first eight characters.

const expectNone = (): void => expect(leaked()).toEqual([])

// All events go through what the door makes of the options, and all values come from there.
vi.mock('../../src/options/resolve-options.ts', async (load) => {
  const original = await load<typeof Settings>()
  const checkOptions: typeof original.checkOptions = (options) => {
    const { emit, makeValue, ...settings } = original.checkOptions(options)
    return {
      ...settings,
      makeValue: () => addValue(makeValue()),
      // Also where nobody listens.
      emit: (event) => emit?.(note('event', event)),
    }
  }
  return { ...original, checkOptions }
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
  const original = await load<typeof Hold>()
  const hold: typeof original.hold = (claim, ...rest) => {
    addValue(claim.value)
    return note('lock', original.hold(claim, ...rest), false)
  }
  return { ...original, hold }
})

vi.mock('../../src/inspect.ts', async (load) => {
  const original = await load<typeof Inspecting>()
  const inspect = async (claim: Claim) => {
    addValue(claim.value)
    return note('inspection', await original.inspect(claim))
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
