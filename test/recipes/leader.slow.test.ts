import { execa } from 'execa'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { fromEnv, inspect } from '../../src/index.ts'
import { pageModules } from './page-modules.ts'

// docs/recipes/leader.md, with candidates that are processes, over five real servers.

const REDLOCK_NODES = inject('REDLOCK_NODES')

type Process = {
  readonly said: () => string
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => void
}

const startCandidate = (campaign: string, name: string): Process & { ended: Promise<unknown> } => {
  let output = ''
  const child = execa(process.execPath, ['test/recipes/leader-process.ts', campaign, name], {
    env: { REDLOCK_NODES },
    reject: false,
  })
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { said: () => output, kill: (signal) => void child.kill(signal), ended: child }
}

it('replaces a leader that is killed, and one that ends, and has never two of them', async () => {
  const campaign = (await pageModules('docs/recipes/leader.md'))('campaign.ts')
  const redlock = fromEnv({ REDLOCK_NODES })
  const first = startCandidate(campaign, 'first')
  await vi.waitFor(() => expect(first.said()).toBe('leads\n'), 20_000)
  expect((await inspect(redlock, 'leader')).metadata).toBe('first')
  const second = startCandidate(campaign, 'second')

  // While the first one runs, for longer than its ttl, the second one never leads.
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  expect(second.said()).toBe('')
  first.kill('SIGKILL')
  await vi.waitFor(() => expect(second.said()).toBe('leads\n'), 20_000)
  expect(first.said()).toBe('leads\n')

  const third = startCandidate(campaign, 'third')
  second.kill('SIGTERM')
  await second.ended
  expect(second.said()).toBe('leads\nstops\n')
  await vi.waitFor(() => expect(third.said()).toBe('leads\n'), 20_000)
  third.kill('SIGTERM')
  await third.ended
  expect((await inspect(redlock, 'leader')).state).toBe('free')
}, 120_000)
