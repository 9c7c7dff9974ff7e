/**
 * Calls as spans of OpenTelemetry or of Cloudflare Workers.
 *
 * @module
 */
export type { Attributes, AttributeValue, Span, Tracer } from './tracer.ts'
export { type TracingOptions, withTracing } from './with-tracing.ts'
