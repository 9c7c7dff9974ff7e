import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

// The figures of the README are those of the last reports.

type Burst = { contestant: string; size: number; bursts: number; one: number }

it('the README has the bursts with one winner as they were measured', async () => {
  const readme = await readFile('README.md', 'utf8')
  const report = await readFile('verification/reports/benchmarks/contention.json', 'utf8')
  const { result } = JSON.parse(report) as { result: { bursts: Burst[] } }
  const of = (name: string): string => {
    const found = result.bursts.find(({ contestant, size }) => contestant === name && size === 5)!
    return `${found.one.toLocaleString('en')} of ${found.bursts.toLocaleString('en')}`
  }
  expect(readme).toContain(`[${of('edge-redlock')} bursts]`)
  expect(readme).toContain(`redlock 5: ${of('redlock 5')}`)
})

it('the README and the guides have the price of a lock from its table', async () => {
  const priceOf = async (page: string): Promise<number> => {
    const text = await readFile(page, 'utf8')
    const [row] = /^\| lock: acquired and released \|.*$/m.exec(text)!
    return Math.round(Number(/\$([\d.]+)/.exec(row)![1]))
  }
  const readme = await readFile('README.md', 'utf8')
  const [upstash, objects] = [
    await priceOf('docs/understand/costs.md'),
    await priceOf('docs/guides/durable-objects.md'),
  ]
  expect(readme).toContain(`[$${upstash} at Upstash]`)
  expect(readme).toContain(`$${objects} on [Durable Objects]`)
  const cloudflare = await readFile('docs/guides/cloudflare.md', 'utf8')
  expect(cloudflare).toContain(`[cost $${upstash}]`)
})

it('the README and the home page have the budgets of `npm run size`', async () => {
  const source = await readFile('tools/release/size.ts', 'utf8')
  const budgets = [...source.matchAll(/budget: ([\d.]+) \* 1024/g)].map(([, kib]) => Number(kib))
  const [core, hono, idempotent] = budgets
  const readme = await readFile('README.md', 'utf8')
  expect(readme).toContain(
    `less than ${core} KiB, ${hono} KiB with the Hono middleware, or ${idempotent} KiB with \`idempotent\``,
  )
  // The bundle of `fromEnv` is the last one.
  expect(readme).toContain(`\`fromEnv\` adds ${budgets.at(-1)! - core!} KiB`)
  const home = await readFile('docs/index.md', 'utf8')
  expect(home).toContain(`Less than ${core} KiB, ${hono} KiB with the Hono middleware`)
})
