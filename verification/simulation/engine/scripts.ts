import type { Script } from '../../../src/protocol/script.ts'
import { findScript as find } from '../../../tools/redis-wire.ts'

export { runOnWire as execute } from '../../../tools/redis-wire.ts'

/** The script that a command names, by its source or by its hash. */
export const findScript = (command: 'EVAL' | 'EVALSHA', text: string): Script | undefined => {
  const script = find(text)
  return script && (command === 'EVALSHA' ? script.sha : script.source) === text
    ? script
    : undefined
}
