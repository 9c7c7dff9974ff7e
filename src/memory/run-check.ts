import type { CheckServer } from '../protocol/command.ts'
import type { Reply } from '../protocol/reply.ts'
import type { MemoryServer } from './memory-server.ts'

/** check.lua in TypeScript. `identity`: the ID of the server. */
export const runCheck = (
  server: MemoryServer,
  _command: CheckServer,
  identity: string = '',
): Reply => {
  const [noTime, noInfo] = (['TIME', 'INFO'] as const).map((name) => server.rejects?.includes(name))
  const [, run_id = ''] = server.run().split(':')
  const info = { redis_version: server.product ?? 'memory', run_id, role: 'master' }
  return {
    status: 'checked',
    facts: {
      identity,
      time: noTime ? 0 : Math.floor(server.now()),
      info: noInfo ? {} : info,
      rejected: {
        write: '',
        time: noTime ? 'TIME is rejected' : '',
        info: noInfo ? 'INFO is rejected' : '',
      },
    },
  }
}
