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

/** A form, as a browser sends it without JavaScript. */
type Form = { readonly path: string; readonly fields: FormData | URLSearchParams }

/** Reads the form of a page. Its action is in the URL, or in the fields with Next.js. */
const formOf = (html: string, page: string): Form => {
  const tag = /<form [^>]*>/.exec(html)?.[0] ?? ''
  const action = /\baction="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const { pathname, search } = new URL(action, `http://app${page}`)
  const fields = /"multipart\/form-data"/.test(tag) ? new FormData() : new URLSearchParams()
  for (const [, field = ''] of html.matchAll(/<input ([^>]*)>/g)) {
    const [name = '', value = ''] = ['name', 'value'].map(
      (attribute) => new RegExp(`\\b${attribute}="([^"]*)"`).exec(field)?.[1],
    )
    fields.set(name, value)
  }
  return { path: pathname + search, fields }
}

/** Sends the duplicates of one request, and counts their effects. */
export const burst = async (
  kind: Kind,
  processes: readonly Running[],
  counter: Counter,
): Promise<Burst> => {
  const key = randomUUID()
  const path = `/${kind}`
  const isForm = kind === 'form' || kind === 'checkout'
  const form = isForm && formOf(await (await processes[0]!.call(path)).text(), path)
  // The guide counts its orders by their item.
  for (const name of ['id', 'item']) if (form) form.fields.set(name, key)
  const json = JSON.stringify({ item: kind === 'orders' ? key : 1 })
  const send = async ({ url, call }: Running): Promise<Answer> => {
    // A browser sends the form without JavaScript.
    const headers = form
      ? { accept: 'text/html' }
      : { 'idempotency-key': key, 'content-type': 'application/json' }
    try {
      const response = await call(form ? form.path : path, {
        method: 'POST',
        headers: { origin: url, 'x-forwarded-proto': 'http', ...headers },
        body: form ? form.fields : json,
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
