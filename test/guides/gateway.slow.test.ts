import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { anyPort } from '../../tools/servers/free-port.ts'
import { expect, it, onTestFinished, vi } from 'vitest'
import { check, diagnose } from '../../src/entries/doctor.ts'
import { Redlock } from '../../src/index.ts'
import { pageModules } from '../recipes/page-modules.ts'

// docs/guides/gateway.md: the command of its Redis, and its server, as processes.

const page = 'docs/guides/gateway.md'
const token = 'token-of-this-node'

type Process = {
  readonly ended: Promise<{ exitCode: number | undefined; all: string }>
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => void
}

const start = (command: string, args: string[], env: Record<string, string> = {}): Process => {
  const child = execa(command, args, { env, reject: false, all: true })
  const kill: Process['kill'] = (signal) => void child.kill(signal)
  onTestFinished(() => kill('SIGKILL'))
  return { ended: child.then(({ exitCode, all }) => ({ exitCode, all })), kill }
}

it('is a node without problems, which survives the loss of its Redis', async () => {
  const markdown = await readFile(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8')
  const [, options] = /^redis-server (--bind .+)$/m.exec(markdown)!
  // The container has the same options but for the address.
  expect(markdown).toContain(`command: redis-server ${options!.replace('--bind 127.0.0.1 ', '')}\n`)
  const data = await mkdtemp(join(tmpdir(), 'gateway-guide-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  const [redisPort, port] = [await anyPort(), await anyPort()]
  const startRedis = (): Process =>
    start('redis-server', [...options!.split(' '), '--port', `${redisPort}`, '--dir', data])
  const path = (await pageModules(page))('server.ts')

  const withoutToken = await start(process.execPath, [path], { GATEWAY_TOKEN: '' }).ended
  expect(withoutToken.exitCode).toBe(1)
  expect(withoutToken.all).toContain('Set GATEWAY_TOKEN')

  const redis = startRedis()
  const server = start(process.execPath, [path], {
    GATEWAY_TOKEN: token,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    PORT: `${port}`,
  })
  const url = `http://127.0.0.1:${port}`
  const expectHealth = (status: number): Promise<void> =>
    vi.waitFor(async () => expect((await fetch(`${url}/health`)).status).toBe(status), 15_000)
  await expectHealth(200)

  const redlock = new Redlock({ nodes: [{ url, token }], ttl: 60_000 })
  const findings = diagnose(await check(redlock))
  expect(findings.filter(({ level }) => level === 'problem').map(({ code }) => code)).toEqual([])
  const lock = await redlock.acquire('report')
  expect(await lock.fencingToken()).toBeGreaterThan(0)

  redis.kill('SIGKILL')
  await redis.ended
  await expectHealth(503)
  expect(await redlock.tryAcquire('report')).toMatchObject({ ok: false, reason: 'unavailable' })
  startRedis()
  await expectHealth(200)
  // The server has kept the lock: nobody else gets it, and its holder can extend it.
  expect(await redlock.tryAcquire('report')).toMatchObject({ ok: false, reason: 'locked' })
  await lock.extend()
  expect(await lock.release()).toBe('released')

  server.kill('SIGTERM')
  expect((await server.ended).exitCode).toBe(0)
}, 60_000)
