import { readFile, writeFile } from 'node:fs/promises'
import { type App, apps, type Kind, versionsOf } from './apps.ts'

// The last results of each framework, as JSON and as a page.

/** The fault of one of the three servers, which begins before the requests. */
export type Fault = 'none' | 'killed' | 'frozen'

/** One handler of one app, under one fault. */
export type Row = {
  readonly fault: Fault
  readonly app: string
  readonly kind: Kind
  readonly rounds: number
  readonly passed: number
  /** The fewest and the most effects of a key. */
  readonly effects: readonly [number, number]
  readonly expected: string
  /** The responses of the first failed round, or of the first round if none failed. */
  readonly statuses: string
  readonly slowest: number
  readonly why?: string
}

/** The last results of one framework. */
type Result = {
  readonly title: string
  readonly versions: string
  /** The day of the run. */
  readonly date: string
  readonly rows: readonly Row[]
}

const reports = new URL('../reports/', import.meta.url)
const [data, page] = [new URL('apps.json', reports), new URL('apps.md', reports)]

const faults: Readonly<Record<Fault, string>> = {
  none: 'all well',
  killed: 'one server killed',
  frozen: 'one server suspended',
}

const meanings: Readonly<Record<Kind, string>> = {
  return: 'returns a response',
  redirect: "redirects with the framework's own function",
  throw: 'throws before its effect; another request runs the handler again',
  replay: "performs its effect, then throws, with `failures: 'replay'`",
  stream: 'streams its response',
  exception: 'throws an exception of the framework',
  status: 'sets its status on the event',
  'response-redirect': 'returns a `Response` that redirects',
  page: 'is the action of a page, and redirects',
  middleware: 'is the same, protected by middleware',
  form: 'is the action of a form, and redirects inside `once()`',
  orders: 'is the endpoint of the guide',
  checkout: 'is the action of a form in the guide, and redirects',
  lock: 'runs under a lock',
  throttle: 'runs under a throttle',
}

const isPassed = ({ passed, rounds }: { passed: number; rounds: number }): boolean =>
  passed === rounds

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** How many handlers of a framework did what they should, under one fault. */
const countOf = ({ rows }: Result, fault: Fault): string => {
  const own = rows.filter((row) => row.fault === fault)
  return `${own.filter(isPassed).length} of ${own.length}`
}

const markdown = (results: readonly Result[]): string => {
  const rows = results.flatMap((result) => result.rows)
  const kinds = (Object.keys(meanings) as Kind[]).filter((kind) =>
    rows.some((row) => row.kind === kind),
  )
  const seen = ({ rows: own }: Result, kind: Kind): string =>
    own.find((row) => row.kind === kind && row.fault === 'none')?.statuses ?? ''
  return `# Apps of frameworks

This page shows what apps of ${results.length} frameworks do with simultaneous duplicates. Each app is built for production with the packed package. Two processes of it get 20 duplicates of one request in the same moment, several times. A server outside the app counts the effects of the handlers.

\`npm run verify -- apps --killed --frozen --write\` runs the apps over three Redis servers, and writes this page. With \`--only\`, it replaces the rows of one framework.

**${rows.filter(isPassed).length} of ${rows.length}** handlers passed in all their rounds: the responses are as expected, and each key has one effect. A lock may let requests run one after the other.

${table(
  ['framework', 'versions', 'last run', ...Object.values(faults)],
  results.map((result) =>
    [result.title, result.versions, result.date].concat(
      (Object.keys(faults) as Fault[]).map((fault) => countOf(result, fault)),
    ),
  ),
)}

## Handlers

The responses to 20 duplicates while all servers are well. 409 and 429 reject a duplicate. A handler that throws responds with 500.

${table(
  ['handler', 'what it does', ...results.map(({ title }) => title)],
  kinds.map((kind) =>
    [`\`${kind}\``, meanings[kind]].concat(results.map((result) => seen(result, kind))),
  ),
)}
`
}

/** Replaces the results of frameworks in the report. */
export const writeReport = async (chosen: readonly App[], rows: readonly Row[]): Promise<void> => {
  const date = new Date().toISOString().slice(0, 10)
  const earlier = JSON.parse(await readFile(data, 'utf8').catch(() => '[]')) as Result[]
  const resultOf = (one: App): Result | undefined =>
    chosen.includes(one)
      ? {
          title: one.title,
          versions: versionsOf(one),
          date,
          rows: rows.filter(({ app }) => app === one.title),
        }
      : earlier.find(({ title }) => title === one.title)
  const results = apps.map(resultOf).filter((result) => result !== undefined)
  await writeFile(data, `${JSON.stringify(results)}\n`)
  await writeFile(page, markdown(results))
}
