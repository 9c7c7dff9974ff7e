import { context, SpanKind, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { Redlock, withTracing } from '../../../src/index.ts'
import { startCluster } from '../../../tools/servers/cluster.ts'
import { distance } from '../../shared/distance.ts'

// Ms for which each request holds the lock.
const hold = 260

// Ms between the two clicks.
const gap = 40

// Ms after which a client gives up a request to the node that hangs.
const nodeTimeout = 300

// Ms after which such a request has been given up, and its span has ended.
const allEnded = nodeTimeout + 100

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A fetch to a distant node, whose requests are spans as those of the instrumentation of undici. */
const tracedFetch =
  (tracer: Tracer, number: number, hangs: boolean): typeof fetch =>
  (input, init) =>
    tracer.startActiveSpan(`POST node ${number}`, { kind: SpanKind.CLIENT }, async (span) => {
      try {
        if (hangs) {
          await new Promise((_, reject) => {
            init!.signal!.addEventListener('abort', () => reject(new Error('cancelled')))
          })
        }
        await distance()
        const response = await fetch(input, init)
        await distance()
        return response
      } finally {
        span.end()
      }
    })

/** One request of a user, as the instrumentation of a server shows it. */
const request = (tracer: Tracer, name: string, redlock: Redlock): Promise<void> =>
  tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, async (span) => {
    const lock = await redlock.acquire('submit:ada:7', { wait: 5_000 })
    await sleep(hold)
    await lock.release()
    span.end()
  })

/** The spans of two requests that want one lock while a node hangs, as the SDK of OpenTelemetry exports them. */
export const recordTrace = async (): Promise<ReadableSpan[]> => {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  const tracer = new BasicTracerProvider({ spanProcessors }).getTracer('trace')
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const cluster = await startCluster({ count: 3 })
  try {
    const nodes = cluster.nodes.map(({ url, token }, index) => ({
      url,
      token,
      name: `node ${index + 1}`,
      fetch: tracedFetch(tracer, index + 1, index === 2),
    }))
    const client = (): Redlock =>
      withTracing(new Redlock({ nodes, ttl: 1_000, nodeTimeout, warnings: false }), {
        tracer,
        lockName: () => 'submit',
      })
    // Opens the connections, and loads the script into the servers.
    await (await client().acquire('warm')).release()
    await sleep(allEnded)
    exporter.reset()
    const first = request(tracer, 'POST /submit (first click)', client())
    await sleep(gap)
    await Promise.all([first, request(tracer, 'POST /submit (second click)', client())])
    await sleep(allEnded)
    return exporter.getFinishedSpans()
  } finally {
    await cluster.close()
    context.disable()
  }
}
