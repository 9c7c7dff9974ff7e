import type { PATCH, POST } from './app/api/reports/[id]/route'

// Up to 15.4, Next.js rejects a second argument that may be undefined.
type Params = Promise<{ id: string }>
export const paramsOf = (context: Parameters<typeof POST>[1]): Params => context.params
export const patched = (patch: typeof PATCH, context: { params: Params }): Promise<Response> =>
  patch(new Request('https://example.com'), context)
