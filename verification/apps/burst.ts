import { randomUUID } from 'node:crypto'
import type { Running } from '../../tools/servers/serving-process.ts'
import type { Kind } from './apps.ts'
import type { Count, Counter } from './counter.ts'

/** Simultaneous duplicates of one request, sent to the processes of the app in turn. */
export const duplicates = 20

// More than the 10 s for which a duplicate waits.
const patience = 12_000

/** A response as it arrived. Status 0: no response within 12 s. */
export type Answer = {
  readonly status: number
  readonly location: string | null
  readonly type: string | null
  readonly isReplay: boolean
  readonly body: string
}

/** The result of one burst. */
export type Burst = Count & { readonly answers: readonly Answer[] }

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  // Some frameworks make it absolute, and each process has its own origin.
  location: response.headers.get('location')?.replace(/^http:\/\/[^/]+/, '') ?? null,
  type: response.headers.get('content-type'),
  isReplay: response.headers.get('idempotent-replayed') === 'true',
  body: await response.text(),
})

/** The fields that a form sends without JavaScript. With Next.js, they name the action. */
const fieldsOf = (html: string): FormData => {
  const form = new FormData()
  for (const [, field = ''] of html.matchAll(/<input ([^>]*)>/g)) {
    const [name = '', value = ''] = ['name', 'value'].map(
      (attribute) => new RegExp(`\\b${attribute}="([^"]*)"`).exec(field)?.[1],
    )
    form.set(name, value)
  }
  return form
}

/** Sends the duplicates of one request, and counts their effects. */
export const burst = async (
  kind: Kind,
  processes: readonly Running[],
  counter: Counter,
): Promise<Burst> => {
  const key = randomUUID()
  const isForm = kind === 'form' || kind === 'hook'
  const form = isForm && fieldsOf(await (await processes[0]!.call(`/${kind}`)).text())
  if (form) form.set('id', key)
  const send = async ({ url, call }: Running): Promise<Answer> => {
    // A browser sends the form without JavaScript.
    const headers = form
      ? { accept: 'text/html' }
      : { 'idempotency-key': key, 'content-type': 'application/json' }
    try {
      const response = await call(`/${kind}`, {
        method: 'POST',
        headers: { origin: url, 'x-forwarded-proto': 'http', ...headers },
        body: form || '{"item":1}',
        signal: AbortSignal.timeout(patience),
      })
      return await answerOf(response)
    } catch (error) {
      return { status: 0, location: null, type: null, isReplay: false, body: String(error) }
    }
  }
  const sent = Array.from({ length: duplicates }, (_, index) =>
    send(processes[index % processes.length]!),
  )
  const answers = await Promise.all(sent)
  return { ...counter.of(key), answers }
}
