import { expect, test, vi } from 'vitest'
import { useGateway } from './support.ts'

// On a busy machine real servers and streams take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

// All requests share a connection. A command that makes Redis close it would fail the commands of
// other requests, some of which have already run.

const use = useGateway()

/** The id of the connection in Redis. A new connection has another one. */
const connectionId = async (): Promise<unknown> => (await use.server.post('/', ['CLIENT', 'ID']))[1]

test('a POST command does not break the INCR commands of other requests', async () => {
  const { server } = use
  const before = await connectionId()
  const others = Array.from({ length: 40 }, (_, index) =>
    index % 4 === 0 ? server.post('/', ['POST', 'x']) : server.post('/', ['INCR', 'counter']),
  )
  const statuses = (await Promise.all(others)).map(([status]) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
  expect(await server.post('/', ['GET', 'counter'])).toEqual([200, { result: '30' }])
  expect(await connectionId()).toEqual(before)
})

type Entry = [name: string, arity: number, ...rest: unknown[]]

test('no command of Redis closes the connection', async () => {
  const [, table] = await use.server.post('/', ['COMMAND'])
  const names = (table as { result: Entry[] }).result.map(([name]) => [name])
  // Subcommands are the tenth field. Redis before 7 does not list them.
  const subcommands = (table as { result: Entry[] }).result.flatMap((entry) =>
    ((entry[9] as Entry[] | undefined) ?? []).map(([name]) => name.split('|')),
  )
  expect(names.length).toBeGreaterThan(100)
  const before = await connectionId()
  for (const command of [...names, ...subcommands, ['POST'], ['HOST']]) {
    const variants: string[][] = [[], ['x'], ['x', '0'], ['x', '1', 'y', 'z']]
    const [, entries] = await use.server.post('/pipeline', [
      ...variants.map((args) => command.concat(args)),
      ['CLIENT', 'ID'],
    ])
    expect([command, (entries as unknown[]).at(-1)]).toEqual([command, before])
  }
})

test('rejects a command with more arguments than Redis accepts', async () => {
  const body = `["DEL"${',1'.repeat(1_048_576)}]`
  const { status } = await use.server.request('/', { method: 'POST', body })
  expect(status).toBe(400)
  expect(await use.server.post('/', ['PING'])).toEqual([200, { result: 'PONG' }])
})
