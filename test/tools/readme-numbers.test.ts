import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

// The figures of the README are those of the last reports.

const readme = await readFile('README.md', 'utf8')
const rowOf = (begin: string): string =>
  readme.split('\n').find((line) => line.startsWith(`| ${begin}`))!
const report = async <Result>(name: string): Promise<Result> =>
  (JSON.parse(await readFile(`verification/reports/benchmarks/${name}.json`, 'utf8')) as { result: Result }).result

it('bursts with exactly one winner', async () => {
  type Burst = { contestant: string; size: number; bursts: number; one: number }
  const { bursts } = await report<{ bursts: Burst[] }>('contention')
  const of = (name: string): string => {
    const found = bursts.find(({ contestant, size }) => contestant === name && size === 5)!
    return `${found.one.toLocaleString('en')} of ${found.bursts.toLocaleString('en')}`
  }
  const row = rowOf('five clients at once')
  expect(row).toContain(`| ${of('edge-redlock')} |`)
  expect(row).toContain(`redlock 5: ${of('redlock 5')}, redis-semaphore: ${of('redis-semaphore')}`)
})

it('an acquire while a server hangs', async () => {
  type Result = { weather: string; contestant: string; answered: number; medianRatio: number }
  const { results } = await report<{ results: Result[] }>('latency')
  const hanging = results.filter(({ weather }) => weather === 'one hung')
  const of = (name: string): string => {
    const { answered, medianRatio } = hanging.find(({ contestant }) => contestant === name)!
    return answered === 0 ? 'no answer' : medianRatio.toFixed(2)
  }
  const row = rowOf('time of an acquire while one server hangs')
  expect(row).toContain(`| ${of('edge-redlock')} times |`)
  expect(row).toContain(`redlock 5: ${of('redlock 5')};`)
  expect([of('redlock 4'), of('redis-semaphore')]).toEqual(['no answer', 'no answer'])
})

it('behaviour checks that fail', async () => {
  const rows = (await readFile('verification/reports/comparison.md', 'utf8')).match(/^\| \d+ \|.+$/gm)!
  const checks = rows.map((row) => row.split('|').slice(3, -1))
  const failures = checks[0]!.map(
    (_, library) => checks.filter((row) => row[library]!.includes('FAILS')).length,
  )
  const [own, ...rivals] = failures
  expect(rowOf('checks failed')).toMatch(
    new RegExp(`^\\| checks failed, of ${checks.length} \\| ${own} \\| `),
  )
  const [least, most] = [Math.min(...rivals), Math.max(...rivals)]
  expect(rowOf('checks failed')).toContain(`| ${least} to ${most} |`)
})
