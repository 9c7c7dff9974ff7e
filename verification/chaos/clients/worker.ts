import type { Step } from '../../history/records.ts'
import type { ClientSettings } from '../campaign/settings.ts'
import type { BurstPlan } from './bursts.ts'
import { contend } from './contend.ts'
import { makeStore, type Store } from './counter.ts'
import { operate, type Plan } from './operation.ts'
import { makeRedlocks, type Redlocks } from './redlocks.ts'

// A Worker that runs one operation per request, and streams the steps in the response, one per line. The clock of a
// Worker has a resolution of 1 ms, and advances only with I/O.

export type Stamped = Step & { readonly wall: number }
export type WorkerRequest = { readonly settings: ClientSettings; readonly plan: Plan | BurstPlan }

type Isolate = { readonly redlocks: Redlocks; readonly store: Store }
let isolate: Isolate | undefined

const isolateFor = (settings: ClientSettings): Isolate =>
  (isolate ??= { redlocks: makeRedlocks(settings), store: makeStore(settings.store) })

type Context = { waitUntil(work: Promise<unknown>): void }

export default {
  async fetch(request: Request, _: unknown, context: Context): Promise<Response> {
    if (request.method !== 'POST') return new Response('up')
    const { settings, plan } = (await request.json()) as WorkerRequest
    const { readable, writable } = new TransformStream<Uint8Array>()
    const writer = writable.getWriter()
    const encoder = new TextEncoder()
    const say = (step: Step): void => {
      const line = JSON.stringify({ ...step, wall: Date.now() })
      // If the client has disconnected, the operation continues.
      writer.write(encoder.encode(`${line}\n`)).catch(() => {})
    }
    const waitUntil = (work: Promise<unknown>): void => context.waitUntil(work)
    const after = (ms: () => number): number => Date.now() + ms()
    const tools = { ...isolateFor(settings), say, after, waitUntil }
    const run = async (): Promise<void> => {
      await (plan.kind === 'burst' ? contend(plan, tools) : operate(plan, tools))
      await writer.close()
    }
    context.waitUntil(run())
    return new Response(readable)
  },
}
