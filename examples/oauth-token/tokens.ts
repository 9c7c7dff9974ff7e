import { lockKey, type Redlock } from 'edge-redlock'
import { isNotRecordedError, once, type OnceOptions } from 'edge-redlock/idempotency'
import { type SealKey, sealed } from './sealed.ts'

/** The tokens that the provider returns. */
export type Tokens = { readonly access_token: string; readonly refresh_token: string }

export type Provider = {
  readonly url: string
  readonly clientId: string
  readonly keys: readonly SealKey[]
  readonly waitUntil?: OnceOptions<Tokens>['waitUntil']
}

const hashOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const exchange = async ({ url, clientId }: Provider, old: string): Promise<Tokens> => {
  const form = { grant_type: 'refresh_token', refresh_token: old, client_id: clientId }
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  if (!response.ok) throw new Error(`The provider answered ${response.status}`)
  return (await response.json()) as Tokens
}

/** Returns the new tokens, which are the same for every request with this refresh token. */
export const refreshed = async (
  redlock: Redlock,
  provider: Provider,
  old: string,
): Promise<Tokens> => {
  const key = lockKey('refresh', await hashOf(old))
  const codec = sealed<Tokens>(provider.keys, key)
  // Keep the new tokens for as long as requests can still contain the old token.
  const options = { keepFor: 300_000, codec, waitUntil: provider.waitUntil }
  try {
    return await once(redlock, key, options, () => exchange(provider, old))
  } catch (error) {
    // The old token is no longer valid, so losing the new tokens would end the session.
    if (isNotRecordedError(error) && error.hasRun) return error.value as Tokens
    throw error
  }
}
