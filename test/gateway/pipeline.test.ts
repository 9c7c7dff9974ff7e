import { expect, test } from 'vitest'
import { closeAfter, informed, okBackend, startGateway, useGateway } from './support.ts'

const use = useGateway()

const commands = [
  ['SET', 'n', 'x'],
  ['INCR', 'n'],
  ['SET', 'n', 1],
  ['INCR', 'n'],
]
const entries = [
  { result: 'OK' },
  { error: 'ERR value is not an integer or out of range' },
  { result: 'OK' },
  { result: 2 },
]

test.each(['/pipeline', '/multi-exec'])(
  '%s returns results and errors in the order of the commands',
  async (path) => {
    expect(await use.server.post(path, commands)).toEqual([200, entries])
  },
)

test('a pipeline keeps its order even if the Redis client does not', async () => {
  const started: string[] = []
  let slow = 5
  const shuffling = closeAfter(
    await startGateway({
      // Each command is faster than the one before, as can happen with a pool of connections.
      send: informed(async ([name]) => {
        slow -= 1
        for (let turn = 0; turn < slow * 5; turn += 1) await new Promise(setImmediate)
        started.push(name)
        return name
      }),
      transaction: async () => [],
    }),
  )
  const names = ['A', 'B', 'C', 'D', 'E']
  expect(
    await shuffling.post(
      '/pipeline',
      names.map((name) => [name]),
    ),
  ).toEqual([200, names.map((result) => ({ result }))])
  expect(started).toEqual(names)
})

test('responds 400 to a discarded transaction, which has changed nothing', async () => {
  const [status, body] = await use.server.post('/multi-exec', [
    ['SET', 'a', '1'],
    ['GET'],
    ['SET', 'b', '2'],
  ])
  expect([status, body]).toEqual([400, { error: expect.stringMatching(/^EXECABORT /) }])
  expect(await use.backend.send(['DBSIZE'])).toBe(0n)
})

test('responds 400 to a transaction that a watched key has stopped', async () => {
  const watching = closeAfter(await startGateway({ ...okBackend(), transaction: async () => null }))
  expect(await watching.post('/multi-exec', [['GET', 'a']])).toEqual([
    400,
    { error: 'EXECABORT Transaction discarded because of a watched key' },
  ])
})
