/** The value of a span attribute. */
export type AttributeValue = string | number | boolean

/** The attributes of a span or a span event, by name. */
export type Attributes = { readonly [name: string]: AttributeValue }

/**
 * The methods of a span that are used here. OpenTelemetry spans have all of them; Cloudflare Workers spans lack some.
 */
export type Span = {
  setAttribute(name: string, value: AttributeValue): unknown
  end(): void
  addEvent?(name: string, attributes?: Attributes): unknown
  setStatus?(status: { code: number; message?: string }): unknown
}

/**
 * The methods of a tracer that are used here: `trace.getTracer('...')` from OpenTelemetry, or `tracing` from
 * `cloudflare:workers`.
 *
 * @see {@link https://opentelemetry.io/docs/specs/otel/trace/api/}
 * @see {@link https://developers.cloudflare.com/workers/observability/traces/custom-spans/}
 */
export type Tracer = {
  /** Starts a span that is the parent of all spans started inside `run`, which must end the span. */
  startActiveSpan<T>(name: string, run: (span: Span) => T): T
  /** Starts a span without children. */
  startSpan(name: string): Span
}

/** The OpenTelemetry status code for a failed span. */
export const errorStatus = 2

/** Calls a tracer, whose errors and rejections must not affect the lock or the process. */
export const safely = <T>(run: () => T): T | undefined => {
  try {
    const result = run()
    // The method can be async, despite its type.
    ;(result as Partial<Promise<unknown>> | undefined)?.catch?.(() => {})
    return result
  } catch {
    return undefined
  }
}

/**
 * Runs `work` inside an active span. The work runs exactly once, whatever the tracer does, and without a span if the
 * tracer provides none.
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
  // If the tracer has not called back yet, the work starts without a span.
  return (running ??= work(undefined))
}
