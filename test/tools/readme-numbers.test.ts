import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

// The figures of the README and of the pages are those of the last reports.

type Burst = {
  contestant: string
  condition: string
  size: number
  bursts: number
  one: number
  toWinner: number
}

const read = (file: string): Promise<string> => readFile(file, 'utf8')
const thousands = (count: number): string => count.toLocaleString('en')

it('the README has the bursts with one winner as they were measured, of two clients and of five', async () => {
  const readme = await read('README.md')
  const report = await read('verification/reports/benchmarks/contention.json')
  const { result } = JSON.parse(report) as { result: { bursts: Burst[] } }
  const all = result.bursts.filter(({ condition }) => condition === 'all well')
  const of = (name: string): Burst =>
    all.find(({ contestant, size }) => contestant === name && size === 5)!
  const [own, other] = [of('edge-redlock'), of('redlock 5')]
  const shares = `${thousands(own.one)} of ${thousands(own.bursts)} bursts, and redlock 5 in ${other.one} of ${other.bursts}`
  expect(readme).toContain(shares)
  expect(readme).toContain(
    `${Math.round(own.toWinner)} ms instead of ${Math.round(other.toWinner)} ms`,
  )
  const pairs = all.filter(({ size, contestant }) => size === 2 && !contestant.includes(','))
  expect(pairs.filter(({ one, bursts }) => one === bursts)).toHaveLength(6)
  expect(readme).toContain('this library and five others have one winner [every time]')
})

it('the README has the behaviours under faults as they were compared', async () => {
  const report = await read('verification/reports/comparison.md')
  const rows = [...report.matchAll(/^\| \d+ \| \[.*$/gm)].map(([row]) =>
    row.split('|').slice(3, -1),
  )
  const counts = rows[0]!.map((_, index) => rows.filter((row) => row[index]!.includes('ok')).length)
  const [own, ...others] = counts
  const readme = await read('README.md')
  expect(own).toBe(rows.length)
  expect(readme).toContain(`[${rows.length} behaviors]`)
  const range = `between ${Math.min(...others)} and ${Math.max(...others)}`
  expect(readme).toContain(`This library has all of them, and six others have ${range}.`)
  expect(others).toHaveLength(6)
})

it('the README and the page about tests say what the report of chaos says', async () => {
  const report = await read('verification/reports/chaos.md')
  const [, found] = /^- Chaos: (\d+ violations in [\d,]+ operations under \d+ faults)/m.exec(
    report,
  )!
  const [violations, faults] = found!.split(' under ')
  const verified = await read('docs/verified.md')
  expect(verified).toContain(found)
  const jumps =
    /^- Clocks that jumped ahead.*?: (\d+); they led to 0 pairs of holders and 0 lost updates/m
  expect(verified).toContain(`That happened ${jumps.exec(report)![1]} times`)
  const readme = await read('README.md')
  expect(readme).toContain(`failed ${faults!.split(' ')[0]} times: ${violations}.`)
})

it('the README and the guides have the price of a lock from its table, and what it assumes', async () => {
  const rowOf = async (page: string): Promise<string> =>
    /^\| lock: acquired and released \|.*$/m.exec(await read(page))![0]
  const priceOf = (row: string): number => Math.round(Number(/\$([\d.]+)/.exec(row)![1]))
  const readme = await read('README.md')
  const costs = await rowOf('docs/understand/costs.md')
  const upstash = priceOf(costs)
  const objects = priceOf(await rowOf('docs/guides/durable-objects.md'))
  // $2 for a million commands, if a script is one.
  const asOne = 2 * Number(costs.split('|')[2])
  expect(readme).toContain(`[$${upstash} at Upstash]`)
  expect(readme).toContain(`If it bills a script as one command, they cost $${asOne}.`)
  expect(readme).toContain(`they cost $${objects}.`)
  const cloudflare = await read('docs/guides/cloudflare.md')
  expect(cloudflare).toContain(`[cost $${upstash}](../understand/costs.md) if`)
  expect(cloudflare).toContain(`They cost $${asOne} if it bills a script as one command`)
  const page = await read('docs/understand/costs.md')
  expect(page).toContain(`**$${asOne} if a script is billed as one command**`)
})

it('the README and the home page have the budgets of `npm run size`', async () => {
  const source = await read('tools/release/size.ts')
  const budgets = [...source.matchAll(/budget: ([\d.]+) \* 1024/g)].map(([, kib]) => Number(kib))
  const [core, , idempotent] = budgets
  const sizes = `nder ${core} KB gzipped, and ${idempotent} KB with idempotency`
  expect(await read('README.md')).toContain(sizes)
  expect(await read('docs/index.md')).toContain(sizes)
})

it('the bills follow from the table of costs and its prices', async () => {
  const costs = await read('docs/understand/costs.md')
  const cellsOf = (row: string): string[] =>
    row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
  const perCall = new Map(
    [...costs.matchAll(/^\| \w+: .*$/gm)].map(([row]) => {
      const [step, requests, commands] = cellsOf(row)
      return [step!, [Number(requests), Number(commands)] as const]
    }),
  )
  const [, dollars] = /\$([\d.]+) for 100,000 commands/.exec(costs)!
  const price = (commands: number): string =>
    `$${((commands * Number(dollars)) / 100_000).toFixed(2)}`
  const bills = (await read('docs/questions/bill.md')).split(/^## /m).slice(1, 4)
  expect(bills).toHaveLength(3)
  for (const bill of bills) {
    const rows = [...bill.matchAll(/^\| \d.*$/gm)].map(([row]) => cellsOf(row))
    const totals = rows.map(([calls, step, requests, commands]) => {
      const counts = perCall.get(step!)!.map((each) => each * Number(calls!.replaceAll(',', '')))
      expect([requests, commands]).toEqual(counts.map(thousands))
      return counts
    })
    const [requests, commands] = [0, 1].map((of) =>
      totals.reduce((sum, counts) => sum + counts[of]!, 0),
    )
    const amounts = `**${price(commands!)} a month**, or ${price(requests!)} if a script is one command.`
    expect(bill).toContain(amounts)
  }
  const [, plans] = /cost \$(\d+) a month/.exec(costs)!
  const most = thousands((Number(plans) * 100_000) / Number(dollars))
  expect(await read('docs/questions/bill.md')).toContain(
    `Above ${most.replace(/,000,000$/, ' million')} commands a month, three fixed plans for $${plans} are cheaper.`,
  )
})

it('the home page has the cases that Powertools passes, as they were compared', async () => {
  const report = await read('verification/reports/idempotency-comparison.md')
  const requests = report.split('\n## ').find((section) => section.startsWith('Requests'))!
  const rows = [...requests.matchAll(/^\| \d+ \| \[.*$/gm)].map(([row]) => row.split('|')[4]!)
  const passed = rows.filter((cell) => cell.includes('ok')).length
  expect(await read('docs/index.md')).toContain(`[${passed} of ${rows.length} cases]`)
})

it('the home page has the figures of the reports of chaos, faults and bursts', async () => {
  const home = await read('docs/index.md')
  const readme = await read('README.md')
  for (const pattern of [
    /0 violations in [\d,]+ operations/,
    /between \d+ and \d+/,
    /1,000 of 1,000 bursts/,
    /\d+ behaviors/,
  ]) {
    expect(home).toContain(pattern.exec(readme)![0])
  }
})

it('the home page has the number of frameworks whose apps passed', async () => {
  const report = JSON.parse(await read('verification/reports/apps.json')) as {
    rows: { passed: number; rounds: number }[]
  }[]
  expect(report.flatMap(({ rows }) => rows).filter((row) => row.passed < row.rounds)).toEqual([])
  expect(report).toHaveLength(9)
  expect(await read('docs/index.md')).toContain('[Apps of nine frameworks]')
})
