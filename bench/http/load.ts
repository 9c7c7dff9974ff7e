import autocannon from 'autocannon'
import { processorTime } from './processor-time.ts'

/** The figures of a server under load. Times are in ms. */
export type Load = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU time of the server per request, if the system reports it. */
  readonly processor: number | undefined
  /** The requests without a response, or with another status. */
  readonly failed: number
}

/** A server on this machine. */
export type Target = { readonly url: string; readonly pid: number }

export type LoadOptions = {
  readonly connections: number
  readonly seconds: number
}

/** Sends requests on all connections, one after the other on each. */
export const load = async (
  { url, pid }: Target,
  { path, status }: { readonly path: string; readonly status: number },
  { connections, seconds }: LoadOptions,
): Promise<Load> => {
  const before = await processorTime(pid)
  const result = await autocannon({ url: url + path, connections, duration: seconds, workers: 1 })
  const { requests, latency, errors, statusCodeStats = {} } = result
  const after = await processorTime(pid)
  const others = Object.entries(statusCodeStats).filter(([code]) => code !== `${status}`)
  const failed = others.reduce((sum, [, { count = 0 }]) => sum + count, errors)
  return {
    perSecond: (1000 * requests.total) / (result.finish.getTime() - result.start.getTime()),
    p50: latency.p50,
    p99: latency.p99,
    processor:
      before === undefined || after === undefined
        ? undefined
        : (1000 * (after - before)) / requests.total,
    failed,
  }
}
