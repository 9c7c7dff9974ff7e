/**
 * The part of `next/headers` that the examples use: the cookies of one request. The real module works only inside
 * Next.js.
 */
const jar = new Map<string, string>()

type Cookies = {
  readonly get: (name: string) => { readonly name: string; readonly value: string } | undefined
  readonly set: (name: string, value: string) => void
}

export const cookies = async (): Promise<Cookies> => ({
  get: (name) => {
    const value = jar.get(name)
    return value === undefined ? undefined : { name, value }
  },
  set: (name, value) => void jar.set(name, value),
})
