import type { Instance, makeLink } from '../contestant.ts'

/** A function that runs once per key, wrapped as an instance, so that the behaviors of requests apply to it. */
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
