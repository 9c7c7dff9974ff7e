import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ScheduleModule } from '@nestjs/schedule'
import { build } from 'esbuild'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startCluster } from '../../tools/servers/cluster.ts'

// The service for Nest in docs/recipes/cron.md, in three applications, over three real servers and the real clock.

const root = fileURLToPath(new URL('../..', import.meta.url))
type Service = { send(signal: AbortSignal): Promise<void> }

/** The service of the page. It fires every two seconds, so that timers may be a second late on a busy machine. */
const serviceOfPage = async (): Promise<Type<Service>> => {
  const page = await readFile(join(root, 'docs/recipes/cron.md'), 'utf8')
  const blockOf = (name: string): string => {
    const [, code] = new RegExp(`^\`\`\`\\w+ \\[${name}\\]\\n(.*?)^\`\`\``, 'ms').exec(page)!
    return code!
  }
  const directory = await mkdtemp(join(import.meta.dirname, '.schedule-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const hourly = blockOf('reports.service.ts')
  const often = hourly
    .replace("'0 * * * *'", "'*/2 * * * * *'")
    .replace('nearestTick()', 'nearestTick(2_000)')
  expect(often.length).toBeGreaterThan(hourly.length + 4)
  await writeFile(join(directory, 'reports.service.ts'), often)
  await writeFile(join(directory, 'tick.ts'), blockOf('tick.ts'))
  const outfile = join(directory, 'service.mjs')
  await build({
    entryPoints: [join(directory, 'reports.service.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@nestjs/*', 'node:*'],
    alias: {
      'edge-redlock': join(root, 'src/index.ts'),
      'edge-redlock/idempotency': join(root, 'src/entries/idempotency.ts'),
    },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  })
  const { ReportsService } = (await import(outfile)) as { ReportsService: Type<Service> }
  return ReportsService
}

it('runs a job of @nestjs/schedule once per tick in three applications', async () => {
  const cluster = await startCluster({ count: 3 })
  onTestFinished(() => cluster.close())
  vi.stubEnv('REDLOCK_NODES', cluster.env.REDLOCK_NODES)
  onTestFinished(() => void vi.unstubAllEnvs())
  const service = await serviceOfPage()
  const runs: number[] = []
  const send = async (): Promise<void> => void runs.push(Math.round(Date.now() / 2_000) * 2_000)
  vi.spyOn(service.prototype as Service, 'send').mockImplementation(send)
  for (let app = 0; app < 3; app++) {
    const schedule = ScheduleModule.forRoot()
    const application = { ...schedule, providers: [...schedule.providers!, service] }
    const context = await NestFactory.createApplicationContext(application, { logger: ['error'] })
    onTestFinished(() => context.close())
  }
  await vi.waitFor(() => expect(runs.length).toBeGreaterThanOrEqual(4), 30_000)
  const first = runs[0]!
  expect(runs).toEqual(runs.map((_, index) => first + index * 2_000))
})
