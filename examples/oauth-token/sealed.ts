import type { Codec } from 'edge-redlock/idempotency'

/** A base64-encoded secret of 32 bytes (`openssl rand -base64 32`), and an ID from 0 to 255. */
export type SealKey = { readonly id: number; readonly secret: string }

const use = ({ secret }: SealKey) => {
  const bytes = Uint8Array.from(atob(secret), (one) => one.charCodeAt(0))
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/**
 * Encrypts with the first key, and decrypts with the key that was used for encryption. A value is bound to its `name`,
 * so it cannot be swapped with another value.
 */
export const sealed = <T>(keys: readonly SealKey[], name: string): Codec<T> => {
  const algorithm = (iv: BufferSource) => {
    return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(name) }
  }
  return {
    encode: async (value) => {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const text = new TextEncoder().encode(JSON.stringify(value))
      const box = await crypto.subtle.encrypt(algorithm(iv), await use(keys[0]!), text)
      return Uint8Array.of(keys[0]!.id, ...iv, ...new Uint8Array(box))
    },
    decode: async (bytes) => {
      const key = keys.find(({ id }) => id === bytes[0])
      if (!key) throw new Error(`There is no key ${bytes[0]}`)
      const [iv, box] = [bytes.slice(1, 13), bytes.slice(13)]
      const text = await crypto.subtle.decrypt(algorithm(iv), await use(key), box)
      return JSON.parse(new TextDecoder().decode(text)) as T
    },
  }
}
