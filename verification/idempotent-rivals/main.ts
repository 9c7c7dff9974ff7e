import { readFile, writeFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption } from '../../tools/cli/options.ts'
import { until } from '../../tools/cli/until.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { type Behaviour, behaviours, type Observation, times } from './behaviours.ts'
import { functionBehaviours } from './functions/behaviours.ts'
import { byHand } from './functions/by-hand.ts'
import { onceOfOurs } from './functions/once.ts'
import { oneIsolate } from './functions/one-isolate.ts'
import { powertoolsFunction } from './functions/powertools.ts'
import type { Answer, Contestant, Instance } from './contestant.ts'
import { edgeRedlock } from './contestants/edge-redlock.ts'
import { expressIdempotency } from './contestants/express-idempotency.ts'
import { powertools } from './contestants/powertools.ts'

// Runs published libraries for idempotent requests and this one with the same faults.

/** A table of behaviors and contestants. The first contestant is this project. */
type Group = {
  readonly title: string
  readonly about: string
  readonly behaviours: readonly Behaviour[]
  readonly contestants: readonly Contestant[]
}

const groups: readonly Group[] = [
  {
    title: 'Requests',
    about:
      'Each library is used as its documentation says: Powertools with its cache persistence on Redis, and with a payload validation or the user in its key where the row is about that (these options are off in the other rows, which would fail with them); express-idempotency with its default adapter, which keeps answers in memory. `hono-idempotency` and `@idempot/hono-middleware` could not be installed where this was run, so nothing is said about them.',
    behaviours,
    contestants: [edgeRedlock, powertools, expressIdempotency],
  },
  {
    title: 'Functions',
    about:
      '[`once`](../../docs/features/once.md) beside other ways to run a function once for a key: `makeIdempotent` of Powertools with its cache persistence on Redis and a context of Lambda; a claim by `SET NX PX` with a second key for the value, which the other calls poll; and a `Map` of promises in one isolate. A rejected call is made again, unless the row says otherwise. 201 stands for a value, and 500 for an error.',
    behaviours: functionBehaviours,
    contestants: [onceOfOurs, powertoolsFunction, byHand, oneIsolate],
  },
]

/** The rows of both tables, with their numbers. */
const numbered = groups
  .flatMap((group) => group.behaviours.map((behaviour) => ({ group, behaviour })))
  .map(({ group, behaviour }, at) => ({ group, behaviour, number: at + 1 }))

/** One cell: the observation, or the reason why there is none. */
type Cell = { readonly value: 'ok' | 'FAILS' | 'none'; readonly saw: string }

const versionOf = async ({ folder }: Contestant): Promise<string> => {
  const path = folder ? `../node_modules/${folder}/package.json` : '../../package.json'
  const text = await readFile(new URL(path, import.meta.url), 'utf8')
  const { name, version } = JSON.parse(text) as { name: string; version: string }
  return `${name} ${version}`
}

/** Observes one behavior of one library, over separate servers. */
const observe = async (contestant: Contestant, { needs, about, run }: Behaviour): Promise<Cell> => {
  const why = needs && contestant.lacks[needs]
  if (why) return { value: 'none', saw: why }
  const cluster = await startCluster({ count: 3 })
  const instances: Instance[] = []
  let runs = 0
  const answer = async (): Promise<Answer> => ({
    status: 201,
    body: Buffer.from(`answer ${++runs}`),
  })
  let hasBegun = false
  const open = async (handler = answer): Promise<Instance> => {
    const counted = (): Promise<Answer> => {
      hasBegun = true
      return handler()
    }
    const instance = await contestant.open({ cluster, handler: counted, about, ...times })
    instances.push(instance)
    return instance
  }
  try {
    const key = crypto.randomUUID()
    const begun = (): Promise<void> => until(async () => hasBegun, 10_000, 'no handler has begun')
    // Scripts are loaded, and each call has been made once.
    const body = new Uint8Array()
    const warm = await contestant.open({
      cluster,
      handler: async () => ({ status: 201, body }),
      ...times,
    })
    instances.push(warm)
    const isWarm = async (): Promise<boolean> =>
      (await warm.send({ key: crypto.randomUUID() })).status === 201
    await until(isWarm, 10_000, `${contestant.name} does not answer`)
    const { isMet, saw }: Observation = await run({
      cluster,
      key,
      open,
      answer,
      begun,
      runs: () => runs,
    })
    return { value: isMet ? 'ok' : 'FAILS', saw }
  } finally {
    await Promise.all(instances.map((instance) => instance.close()))
    await cluster.close()
  }
}

type Row = (typeof numbered)[number] & { readonly cells: readonly Cell[] }

const page = new URL('../../verification/reports/idempotency-comparison.md', import.meta.url)
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const tableOf = ({ contestants }: Group, rows: readonly Row[]): string => {
  const names = contestants.map(({ name }) => name)
  const lines = rows.map(({ number, behaviour, cells }) =>
    line([
      `${number}`,
      `[${behaviour.title}](#${behaviour.id})`,
      ...cells.map(({ value }) => (value === 'FAILS' ? '**FAILS**' : value)),
    ]),
  )
  return [
    line(['', 'behaviour', ...names]),
    line(['--:', '---', ...names.map(() => '---')]),
    ...lines,
  ].join('\n')
}

const wordsOf = ({ number, group, behaviour, cells }: Row): string => {
  // The title already describes an ok.
  const seen = cells.flatMap(({ value, saw }, at) =>
    value === 'ok' ? [] : `- ${group.contestants[at]!.name}: ${value} (${saw})`,
  )
  const test = `<a id="${behaviour.id}"></a>**${number}. ${behaviour.title}.** ${behaviour.test}`
  return seen.length > 0 ? `${test}\n\n${seen.join('\n')}` : test
}

const markdown = (rows: readonly Row[], versions: readonly string[]): string => {
  const tables = groups.flatMap((group) => [
    `## ${group.title}`,
    group.about,
    tableOf(
      group,
      rows.filter((row) => row.group === group),
    ),
  ])
  return `${[
    '# Idempotent requests: comparison with other libraries',
    'Written by `npm run verify -- idempotent-rivals --write`, which runs the published packages with the same handlers and faults, over real Redis servers where a library uses one. Every ok and FAILS was observed in that run. **none**: there is no such feature; the observations below say what is missing.',
    `Last run on ${new Date().toISOString().slice(0, 10)}. Versions: ${versions.join(', ')}.`,
    ...tables,
    '## Observations',
    ...rows.map(wordsOf),
  ].join('\n\n')}\n`
}

/** The number of rows that each contestant of a table fails. */
const failuresOf = (group: Group, rows: readonly Row[]): string => {
  const own = rows.filter((row) => row.group === group)
  const counts = group.contestants.map(({ name }, at) => {
    return `${name} ${own.filter(({ cells }) => cells[at]!.value === 'FAILS').length}`
  })
  return `${group.title}: of ${own.length} behaviours fail ${counts.join(', ')}`
}

await runCommand<{ only?: string; write?: true }>(
  {
    name: 'npm run verify -- idempotent-rivals',
    description:
      'Run published libraries for idempotent requests and functions through the same faults',
    options: {
      only: new Option('--only <row>', 'one behavior, by its number or ID'),
      write: flagOption('--write', 'write verification/reports/idempotency-comparison.md'),
    },
  },
  async ({ only, write }) => {
    const chosen = numbered.filter(
      ({ behaviour, number }) => !only || [behaviour.id, `${number}`].includes(only),
    )
    if (chosen.length === 0) throw new Error(`No behaviour ${only}`)
    if (only && write) throw new Error('--write needs all behaviors: leave out --only')
    const rows: Row[] = []
    for (const row of chosen) {
      const { contestants } = row.group
      const cells = await Promise.all(contestants.map((one) => observe(one, row.behaviour)))
      rows.push({ ...row, cells })
    }
    const versions = await Promise.all(groups[0]!.contestants.map(versionOf))
    if (write) await writeFile(page, markdown(rows, versions))
    const table = new Table()
    for (const { number, group, behaviour, cells } of rows) {
      const texts = cells.map(({ value, saw }, at) => {
        return `${group.contestants[at]!.name}: ${value}${only ? ` (${saw})` : ''}`
      })
      table.push([number, behaviour.title, texts.join('\n')])
    }
    return {
      isMet: rows.every(({ cells }) => cells[0]!.value === 'ok'),
      json: { versions, rows: rows.map(({ behaviour, cells }) => ({ id: behaviour.id, cells })) },
      lines: [
        table.toString(),
        ...groups.map((group) => failuresOf(group, rows)).filter((one) => !one.includes('of 0 ')),
      ],
    }
  },
)
