import type { Instance, makeLink } from '../contestant.ts'

/** A call of a function that runs once for a key, as an instance for the same behaviours as requests. */
export const functionInstance = (
  link: ReturnType<typeof makeLink>,
  call: (key: string) => Promise<string>,
  close: () => Promise<unknown> = async () => undefined,
): Instance => ({
  ...link,
  send: async ({ key = '' }) => {
    try {
      return { status: 201, headers: new Headers(), body: Buffer.from(await call(key)) }
    } catch {
      return { status: 500, headers: new Headers(), body: new Uint8Array() }
    }
  },
  close,
})
