import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(provider)

/** A tracer of the real SDK of OpenTelemetry. */
export const tracer = trace.getTracer('tests')

/** The spans that have ended since the last call, in the order of their ends. */
export const endedSpans = (): ReadableSpan[] => {
  const spans = exporter.getFinishedSpans()
  exporter.reset()
  return spans
}

/** All that an exporter gets to see of the spans. */
export const textOf = (spans: readonly ReadableSpan[]): string =>
  JSON.stringify(
    spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  )
