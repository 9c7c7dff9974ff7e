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
