import { deepStrictEqual } from 'node:assert'
import type { Cluster } from '../../../tools/servers/cluster.ts'
import type { Target } from '../load.ts'
import { scriptsDuring } from './monitor.ts'
import type { OfWorkers } from './workers.ts'

/** Everything in a response that a client sees, except the date. */
const responseOf = async (url: string): Promise<unknown> => {
  const response = await fetch(url)
  const headers = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, headers, body: await response.text() }
}

/** @throws if two Workers send different scripts to the nodes for the same request, or respond differently. */
export const assertSameWork = async (
  cluster: Cluster,
  workers: OfWorkers<Target>,
  path: string,
  settled: () => Promise<unknown>,
): Promise<void> => {
  const workOf = async (name: keyof OfWorkers<Target>): Promise<unknown> => {
    let response: unknown
    const act = async (): Promise<void> => {
      response = await responseOf(workers[name].url + path)
    }
    const scripts = await scriptsDuring(cluster, act, settled)
    return { scripts, response }
  }
  const expected = await workOf('middleware')
  for (const name of ['byHand', 'bare'] as const) {
    const message = `The Worker \`${name}\` sends other requests or another response than the middleware: ${path}`
    deepStrictEqual(await workOf(name), expected, message)
  }
}
