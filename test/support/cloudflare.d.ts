// The part of workerd's module that the tests use; its full types would conflict with the DOM's.
declare module 'cloudflare:workers' {
  export const env: Record<string, unknown>
}
