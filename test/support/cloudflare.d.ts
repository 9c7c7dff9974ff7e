// All that the tests take from workerd's own module; the full types would collide with the DOM's.
declare module 'cloudflare:workers' {
  export const env: Record<string, unknown>
}
