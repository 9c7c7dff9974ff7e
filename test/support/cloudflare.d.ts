// The part of workerd's module that the tests use; its full types would conflict with the DOM's.
declare module 'cloudflare:workers' {
  export const env: Record<string, unknown>

  type Span = {
    setAttribute(name: string, value: string | number | boolean | undefined): Span
    end(): void
  }
  export const tracing: {
    startActiveSpan<T>(name: string, run: (span: Span) => T): T
    startSpan(name: string): Span
  }
}
