import { expect, it } from 'vitest'
import { Redlock, restNode } from '../../src/index.ts'
import { makeRecorder } from '../../verification/simulation/checks/recorder.ts'
import { makeEventLoop } from '../../verification/simulation/engine/event-loop.ts'
import { epoch } from '../../verification/simulation/engine/process.ts'
import { startServer } from '../../verification/simulation/engine/server.ts'
import { makeTrace } from '../../verification/simulation/engine/trace.ts'
import { randomFrom } from '../../tools/random.ts'

const year = 365 * 86_400_000

/** The token of the first lock on a server of the simulation whose clock is a year ahead. */
const firstToken = async (rejectsTime: boolean): Promise<number | undefined> => {
  const loop = makeEventLoop(randomFrom(1), makeTrace(false))
  const skew = Date.now() + year - epoch
  const clock = { rate: 1, skew, rejectsTime }
  const server = startServer(loop, 'n1', 'token', clock, makeRecorder(loop, 1, true), false)
  const node = restNode({
    url: 'https://n1.example',
    token: 'token',
    fetch: async (_, init) => {
      const { method = '', headers, body } = init!
      const authorization = new Headers(headers).get('authorization') ?? ''
      const words = (JSON.parse(body as string) as unknown[]).map(String)
      const reply = server.handle({ method, authorization, words })
      return new Response(reply.body, { status: reply.status })
    },
  })
  const lock = await new Redlock({ nodes: [node], warnings: false }).acquire('key')
  return lock.fencingToken()
}

it('a server of the simulation sets counters by its clock, unless it forbids TIME', async () => {
  const soon = Date.now() + year / 2
  expect(await firstToken(false)).toBeGreaterThan(soon)
  expect(await firstToken(true)).toBeLessThan(soon)
})
