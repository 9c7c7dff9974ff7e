import { sleep } from '../../../tools/faults.ts'
import type { Random } from '../../../tools/random.ts'

// The faults of a gateway: a 5xx before or after execution, a slow response body, or a later second execution of the
// request.

export type GatewayFault = {
  readonly kind: 'gateway errors' | 'gateway slow bodies' | 'gateway runs requests twice'
  readonly amount: number
}

type Handler = (request: Request) => Response | Promise<Response>

const statuses = [500, 502, 503, 504] as const

/** Returns the same response, but delays the second half of the body by `ms`. */
const slowly = async (response: Response, ms: number): Promise<Response> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const half = bytes.length >> 1
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes.subarray(0, half))
      await sleep(ms)
      controller.enqueue(bytes.subarray(half))
      controller.close()
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Wraps a handler with the current fault. */
export const withFaults =
  (handle: Handler, random: Random, current: () => GatewayFault | undefined): Handler =>
  async (request) => {
    const fault = current()
    if (!fault) return handle(request)
    if (fault.kind === 'gateway slow bodies') return slowly(await handle(request), fault.amount)
    if (!random.chance(fault.amount)) return handle(request)
    if (fault.kind === 'gateway errors') {
      if (random.chance(0.5)) await handle(request)
      return new Response('out of order', { status: random.pick(statuses) })
    }
    const body = await request.text()
    const { method, headers } = request
    const copy = (): Request => new Request(request.url, { method, headers, body })
    setTimeout(() => void Promise.resolve(handle(copy())).catch(() => {}), random.between(0, 3000))
    return handle(copy())
  }
