import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Runtime, startRuntime } from '../../tools/servers/runtime.ts'

const dying: Runtime = {
  name: 'a runtime that a signal ends',
  entry: fileURLToPath(new URL('../../tools/cli/until.ts', import.meta.url)),
  platform: 'node',
  command: async () => ({
    run: [
      process.execPath,
      '-e',
      `console.log('last words'); process.kill(process.pid, 'SIGKILL')`,
    ],
  }),
}

// A runtime that goes on without listening is given up after 20 s, which is longer than this test may take.
it('a runtime that a signal ends before it listens is reported when it has ended', async () => {
  await expect(startRuntime(dying, { REDLOCK_NODES: '[]' })).rejects.toThrow(
    'a runtime that a signal ends did not start',
  )
}, 15_000)
