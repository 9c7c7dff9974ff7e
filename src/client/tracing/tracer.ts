/** The value of an attribute of a span. */
export type AttributeValue = string | number | boolean

/** The attributes of a span or of an event on it, by name. */
export type Attributes = { readonly [name: string]: AttributeValue }

/**
 * The part of a span that is used here: a span of OpenTelemetry, or of Cloudflare Workers, which lacks some of the
 * methods.
 */
export type Span = {
  setAttribute(name: string, value: AttributeValue): unknown
  end(): void
  addEvent?(name: string, attributes?: Attributes): unknown
  setStatus?(status: { code: number; message?: string }): unknown
}

/**
 * The part of a tracer that is used here: `trace.getTracer('...')` of OpenTelemetry, or `tracing` of
 * `cloudflare:workers`.
 *
 * @see {@link https://opentelemetry.io/docs/specs/otel/trace/api/}
 * @see {@link https://developers.cloudflare.com/workers/observability/traces/custom-spans/}
 */
export type Tracer = {
  /** Begins a span that is the parent of all spans that begin inside `run`. `run` ends it. */
  startActiveSpan<T>(name: string, run: (span: Span) => T): T
  /** Begins a span without children. */
  startSpan(name: string): Span
}

/** OpenTelemetry's status code of a failed span. */
export const errorStatus = 2

/** Calls a tracer. Its errors and rejections must not reach the lock or the process. */
export const safely = <T>(run: () => T): T | undefined => {
  try {
    const result = run()
    // The tracer may be async, regardless of its type.
    ;(result as Partial<Promise<unknown>> | undefined)?.catch?.(() => {})
    return result
  } catch {
    return undefined
  }
}

/**
 * Runs `work` inside an active span. It runs exactly once, whatever the tracer does, and without a span if the tracer
 * provides none.
 */
export const inSpan = async <T>(
  tracer: Tracer,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> => {
  let running: Promise<T> | undefined
  void safely(() =>
    tracer.startActiveSpan(name, (span) => (running ??= work(span)).catch(() => {})),
  )
  // If the tracer calls back later, the work is already running.
  return (running ??= work(undefined))
}
