import type { CheckReplyTuple } from '../protocol/check-reply.ts'
import { echoOf } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import type { MemoryServer } from './memory-server.ts'
import { identify } from './script-emulator.ts'

/** check.lua in TypeScript. */
export const emulateCheck = (
  server: MemoryServer,
  { keys, args }: ScriptInput,
): CheckReplyTuple => {
  const identity = identify(server, keys[0]!, args[5]!)
  const [noTime, noInfo] = (['TIME', 'INFO'] as const).map((name) => server.refuses?.includes(name))
  const info = `# Server\r\nredis_version:${server.product ?? 'memory'}\r\n${server.run()}\r\nrole:master\r\n`
  return [
    echoOf(args),
    identity,
    noTime ? 0 : Math.floor(server.now()),
    noInfo ? '' : info,
    '',
    noTime ? 'TIME is refused' : '',
    noInfo ? 'INFO is refused' : '',
  ]
}
