import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

/** A span, and how many parents it has. */
export type Row = { readonly span: ReadableSpan; readonly depth: number }

/** A time of OpenTelemetry in ms. */
export const msOf = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6

/** Parents before their children; the children of one parent by their beginnings. */
export const rowsOf = (spans: readonly ReadableSpan[], parent?: string, depth = 0): Row[] => {
  const rows: Row[] = []
  const children = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
  for (const span of children.toSorted((a, b) => msOf(a.startTime) - msOf(b.startTime))) {
    rows.push({ span, depth }, ...rowsOf(spans, span.spanContext().spanId, depth + 1))
  }
  return rows
}

/** The name of a row: that of the span, with its outcome where it has one. */
export const labelOf = ({ span: { name, attributes }, depth }: Row): string => {
  const outcome = attributes['lock.outcome']
  return `${'\u2003'.repeat(depth)}${name}${outcome ? `: ${String(outcome)}` : ''}`
}
