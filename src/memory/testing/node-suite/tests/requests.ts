import type { Command } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { acquireOf, inspectOf, longTtl } from '../commands.ts'

const unknown = ['of a later version', 'constructor', '__proto__', '']

/** Tests that the node rejects a command that this version does not support, and writes nothing. */
export const testUnknownCommands = async (bench: Bench): Promise<void> => {
  const terms = { ttl: longTtl, minCounter: bench.now() }
  for (const op of unknown) {
    const command = { ...bench.about(['a'], 'ada'), ...terms, op } as unknown as Command
    const reply = await bench.attempt(command)
    if (!(reply instanceof Error))
      bench.fail('an unknown command was not rejected', [command, reply])
  }
  const reply = await bench.run(inspectOf(bench.about(['a'], 'ada')))
  if (reply.status !== 'absent') bench.fail('an unknown command changed a key', [reply])
}

/** Tests that a command ends when its signal aborts, with or without a reply, and that the next command runs. */
export const testAbort = async (bench: Bench): Promise<void> => {
  const terms = { ttl: longTtl, minCounter: bench.now() }
  const aborted = acquireOf(bench.about(['a'], 'ada'), terms)
  await bench.attempt(aborted, { signal: AbortSignal.abort() })
  const controller = new AbortController()
  const running = bench.attempt(acquireOf(bench.about(['b'], 'bob'), terms), {
    signal: controller.signal,
  })
  controller.abort()
  await running
  const command = acquireOf(bench.about(['c'], 'cyd'), terms)
  const reply = await bench.run(command)
  if (reply.status !== 'granted')
    bench.fail('after an abort a free key was not granted', [command, reply])
}
