import { deepEqual, equal, match } from 'node:assert/strict'
import type { Case } from '../runtimes/case.ts'

// A Server Action of Next.js, as in docs/guides/vercel.md: a browser without JavaScript loads the form and submits it
// twice simultaneously.

/** The fields of the form in a page, which also name the action. */
const fieldsOf = (html: string): FormData => {
  const form = new FormData()
  for (const [, field] of html.matchAll(/<input ([^>]*)>/g)) {
    const [name, value] = ['name', 'value'].map(
      (one) => new RegExp(`\\b${one}="([^"]*)"`).exec(field!)?.[1] ?? '',
    )
    form.set(name!, value!)
  }
  return form
}

export const actionCases: readonly Case[] = [
  {
    name: 'one form that is submitted twice at once',
    needs: 'action',
    run: async ({ app }) => {
      const form = fieldsOf(await (await app.call('/order')).text())
      const submit = async (): Promise<string> => {
        const init = { method: 'POST', body: form, redirect: 'manual' } as const
        const response = await app.call('/order', init)
        equal(response.status, 303, await response.text())
        return response.headers.get('location')!
      }
      const [one, two] = await Promise.all([submit(), submit()])
      match(one, /\/done\?order=[\da-f-]{36}&runs=1$/)
      deepEqual(two, one)
    },
  },
]
