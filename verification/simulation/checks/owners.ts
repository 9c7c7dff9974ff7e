import type { Server } from '../engine/server.ts'
import type { Scenario } from '../workload/scenario.ts'

/** The processes whose locks or windows a server currently holds, under Redis keys that match the pattern. */
export const ownersOn = (
  { recorder }: Scenario,
  { entries, wall }: Server,
  keys: RegExp = /^lock:[lt]:/,
): Set<string> => {
  const owners = new Set<string>()
  for (const [key, { value, expiresAt }] of entries) {
    if (!keys.test(key) || wall() > expiresAt) continue
    const [secret = ''] = value.split(' ')
    owners.add(recorder.askings.get(secret)?.process ?? 'nobody')
  }
  return owners
}
