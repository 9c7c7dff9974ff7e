import { writeFile } from 'node:fs/promises'
import { context, type Span, SpanKind, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { CustomSeriesRenderItem } from 'echarts'
import { Redlock } from '../../src/index.ts'
import { withTracing } from '../../src/tracing/index.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { distance } from '../shared/distance.ts'
import { svgOf, title } from './chart.ts'

// Draws the trace of two requests that want one lock while a node hangs, as the SDK of OpenTelemetry
// exports it: docs/images/trace.svg.

const exporter = new InMemorySpanExporter()
const spanProcessors = [new SimpleSpanProcessor(exporter)]
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
const tracer = trace.getTracer('trace')

// Ms for which each request holds the lock.
const hold = 260

// Pixels that the name of an event takes.
const labelWidth = 70

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A fetch to a distant node, whose requests are spans as those of the instrumentation of undici. */
const tracedFetch =
  (number: number, hangs: boolean): typeof fetch =>
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
const request = (name: string, redlock: Redlock): Promise<void> =>
  tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, async (span: Span) => {
    const lock = await redlock.acquire('submit:ada:7', { wait: 5_000 })
    await sleep(hold)
    await lock.release()
    span.end()
  })

type Row = { readonly span: ReadableSpan; readonly depth: number }

/** The parents before their children, each with its depth; brothers in the order of their beginnings. */
const inOrder = (spans: readonly ReadableSpan[], parent?: string, depth = 0): Row[] => {
  const rows: Row[] = []
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
  for (const span of children.sort((a, b) => msOf(a.startTime) - msOf(b.startTime))) {
    rows.push({ span, depth }, ...inOrder(spans, span.spanContext().spanId, depth + 1))
  }
  return rows
}

const msOf = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6

const colours: { readonly [name in string]?: string } = {
  'lock.acquire': '#f59f00',
  'lock.hold': '#d9480f',
}

const draw = async (): Promise<void> => {
  const cluster = await startCluster({ count: 3 })
  try {
    const nodes = cluster.nodes.map(({ url, token }, index) => ({
      url,
      token,
      name: `node ${index + 1}`,
      fetch: tracedFetch(index + 1, index === 2),
    }))
    const client = (): Redlock =>
      withTracing(new Redlock({ nodes, ttl: 1_000, nodeTimeout: 300, warnings: false }), {
        tracer,
        metricName: () => 'submit',
      })
    await (await client().acquire('warm')).release()
    await sleep(400)
    exporter.reset()
    const first = request('POST /submit (first click)', client())
    await sleep(40)
    await Promise.all([first, request('POST /submit (second click)', client())])
    await sleep(400)
  } finally {
    await cluster.close()
  }
  const rows = inOrder(exporter.getFinishedSpans())
  const begun = Math.min(...rows.map(({ span }) => msOf(span.startTime)))
  // The cancelled requests to the node that hangs end later.
  const end = Math.max(
    ...rows.map(({ span }) => (span.kind === SpanKind.SERVER ? msOf(span.endTime) - begun : 0)),
  )
  const labels = rows.map(({ span: { name, attributes }, depth }) => {
    const outcome = attributes['lock.outcome']
    return `${'\u2003'.repeat(depth)}${name}${outcome ? `: ${String(outcome)}` : ''}`
  })
  const renderItem: CustomSeriesRenderItem = (_, api) => {
    const row = Number(api.value(0))
    const { span } = rows[row]!
    const [left, y] = api.coord([api.value(1), row]) as [number, number]
    const [right] = api.coord([api.value(2), row]) as [number, number]
    const height = (api.size!([0, 1]) as number[])[1]! * 0.62
    let lastLabel = -Infinity
    const events = span.events.flatMap(({ name, time }) => {
      const [x] = api.coord([msOf(time) - begun, row]) as [number, number]
      const dot = {
        type: 'circle' as const,
        shape: { cx: x, cy: y, r: 3.5 },
        style: { fill: '#000' },
      }
      // Two labels must not cross.
      if (x - lastLabel < labelWidth) return [dot]
      lastLabel = x
      const style = { text: name, x: x + 7, y: y - 5, fontSize: 10, fill: '#000' }
      return [dot, { type: 'text' as const, style }]
    })
    return {
      type: 'group',
      children: [
        {
          type: 'rect',
          shape: { x: left, y: y - height / 2, width: Math.max(1, right - left), height },
          style: {
            fill: colours[span.name] ?? (span.kind === SpanKind.CLIENT ? '#74c0fc' : '#adb5bd'),
          },
        },
        ...events,
      ],
    }
  }
  const svg = svgOf(
    {
      title: title('Two clicks and one lock, while node 3 hangs'),
      legend: { show: false },
      grid: { left: 250, right: 24, top: 48, bottom: 46 },
      xAxis: {
        type: 'value',
        name: 'ms',
        max: Math.ceil(end / 50) * 50 + 50,
        nameLocation: 'middle',
        nameGap: 26,
      },
      yAxis: {
        type: 'category',
        data: labels,
        inverse: true,
        axisLabel: { align: 'left', margin: 240, fontSize: 11, interval: 0 },
        axisTick: { show: false },
      },
      series: [
        {
          type: 'custom',
          clip: true,
          encode: { x: [1, 2], y: 0 },
          renderItem,
          data: rows.map(({ span }, row) => [
            row,
            msOf(span.startTime) - begun,
            msOf(span.endTime) - begun,
          ]),
        },
      ],
    },
    100 + 21 * rows.length,
  )
  await writeFile(new URL('../../docs/images/trace.svg', import.meta.url), svg)
  console.log(`Wrote docs/images/trace.svg: ${rows.length} spans.`)
}

await draw()
