import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { until } from '../../../tools/cli/until.ts'
import type { Case, CaseContext } from '../case.ts'

type Answer = { status: number; replayed: string | null; cookie: string | null; bytes: number[] }

const post = async (
  { app }: CaseContext,
  path: string,
  key: string,
  body: string = 'payload',
  type: string = 'text/plain',
): Promise<Answer> => {
  const headers = { 'idempotency-key': key, 'content-type': type }
  const response = await app.call(path, { method: 'POST', body, headers })
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    cookie: response.headers.get('set-cookie'),
    bytes: [...new Uint8Array(await response.arrayBuffer())],
  }
}

/** Idempotent requests. */
export const idempotencyCases: readonly Case[] = [
  {
    name: 'a repeated request gets the same bytes, and no cookie',
    run: async (context) => {
      const path = `/idempotent/${context.key}`
      const first = await post(context, path, 'k')
      deepEqual([first.status, first.replayed], [201, null])
      deepEqual(first.bytes.slice(0, 10), Array(10).fill(255))
      const replay = await post(context, path, 'k')
      deepEqual([replay.status, replay.cookie, replay.replayed], [201, null, 'true'])
      deepEqual(replay.bytes, first.bytes)
      notDeepEqual((await post(context, path, 'other')).bytes, first.bytes)
    },
  },
  {
    name: 'five at once: one runs, and later all get its answer',
    run: async (context) => {
      const path = `/idempotent/${context.key}?ms=50`
      const burst = await Promise.all([1, 2, 3, 4, 5].map(() => post(context, path, 'k')))
      const answers = burst.filter(({ status }) => status === 201)
      equal(answers.filter(({ replayed }) => replayed === null).length, 1)
      ok(burst.every(({ status }) => status === 201 || status === 409))
      const replay = await post(context, path, 'k')
      for (const { bytes } of answers) deepEqual(bytes, replay.bytes)
    },
  },
  {
    name: 'no key: 400; another payload: 422',
    run: async (context) => {
      const path = `/idempotent/${context.key}`
      equal((await post(context, path, '')).status, 400)
      equal((await post(context, path, 'k')).status, 201)
      equal((await post(context, path, 'k', 'another')).status, 422)
    },
  },
  {
    name: 'a 500 is not recorded',
    run: async (context) => {
      const { app, key } = context
      const init = { method: 'POST', headers: { 'idempotency-key': 'k' } }
      for (const turn of [1, 2]) {
        const response = await app.call(`/idempotent/${key}?status=500`, init)
        equal(`${turn}: ${response.status} ${await response.text()}`, `${turn}: 500 failed`)
        equal(response.headers.get('idempotent-replayed'), null)
      }
    },
  },
  ...['before', 'after'].map((place): Case => ({
    name: `a parser of bodies ${place} it`,
    needs: 'parser',
    run: async (context) => {
      const path = `/parsed-${place}/${context.key}`
      // Close to the default size limit of body parsers.
      const list = JSON.stringify({ list: Array(18_000).fill(null) })
      const first = await post(context, path, 'k', list, 'application/json')
      equal(first.status, 201)
      ok(Buffer.from(first.bytes).toString().startsWith('18000 '))
      const replay = await post(context, path, 'k', list, 'application/json')
      deepEqual([replay.bytes, replay.replayed], [first.bytes, 'true'])
      equal((await post(context, path, 'k', '{"list":[]}', 'application/json')).status, 422)
    },
  })),
  {
    name: 'without a framework',
    needs: 'fetch',
    run: async (context) => {
      const path = `/fetch-idempotent/${context.key}`
      const first = await post(context, path, 'k')
      equal(first.status, 201)
      const text = Buffer.from(first.bytes).toString()
      ok(text.startsWith('payload '), text)
      const replay = await post(context, path, 'k')
      deepEqual([replay.bytes, replay.replayed], [first.bytes, 'true'])
    },
  },
  {
    name: 'the client disconnects: the request runs to its end, and its answer is recorded',
    needs: 'connection',
    run: async (context) => {
      const { app, key, noted } = context
      const path = `/idempotent/${key}?ms=300`
      const { hostname, port } = new URL(app.url)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.on('error', () => {})
      const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nidempotency-key: k\r\n`
      socket.write(`${head}content-type: text/plain\r\ncontent-length: 7\r\n\r\npayload`)
      await noted('began')
      socket.resetAndDestroy()
      equal(await noted('ran'), 'true')
      let replay: Answer | undefined
      const isRecorded = async (): Promise<boolean> => {
        replay = await post(context, path, 'k')
        return replay.status === 201
      }
      await until(isRecorded, 5000, 'the answer was not recorded')
      equal(replay!.replayed, 'true')
    },
  },
]
