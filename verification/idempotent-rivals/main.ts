import { readFile, writeFile } from 'node:fs/promises'
import Table from 'cli-table3'
import { Option } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { flagOption } from '../../tools/cli/options.ts'
import { until } from '../../tools/cli/until.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import { type Behaviour, behaviours, type Observation, times } from './behaviours.ts'
import type { Answer, Contestant, Instance } from './contestant.ts'
import { edgeRedlock } from './contestants/edge-redlock.ts'
import { expressIdempotency } from './contestants/express-idempotency.ts'
import { powertools } from './contestants/powertools.ts'

// Runs published libraries for idempotent requests beside this one, with the same faults.

const contestants = [edgeRedlock, powertools, expressIdempotency]

/** One cell: what was observed, or why there is nothing to observe. */
type Cell = { readonly value: 'ok' | 'FAILS' | 'none'; readonly saw: string }

const versionOf = async ({ folder }: Contestant): Promise<string> => {
  const path = folder ? `../node_modules/${folder}/package.json` : '../../package.json'
  const text = await readFile(new URL(path, import.meta.url), 'utf8')
  const { name, version } = JSON.parse(text) as { name: string; version: string }
  return `${name} ${version}`
}

/** Observes one behaviour of one library, over servers of its own. */
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

type Row = { readonly behaviour: Behaviour; readonly cells: readonly Cell[] }

const page = new URL('../../docs/idempotency-comparison.md', import.meta.url)
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const markdown = (rows: readonly Row[], versions: readonly string[]): string => {
  const names = contestants.map(({ name }) => name)
  const table = rows.map(({ behaviour, cells }, index) =>
    line([
      `${index + 1}`,
      `[${behaviour.title}](#${behaviour.id})`,
      ...cells.map(({ value }) => (value === 'FAILS' ? '**FAILS**' : value)),
    ]),
  )
  const words = rows.map(({ behaviour, cells }, index) => {
    const seen = cells.map(({ value, saw }, at) => `- ${names[at]}: ${value} (${saw})`)
    return `<a id="${behaviour.id}"></a>**${index + 1}. ${behaviour.title}.** ${behaviour.test}\n\n${seen.join('\n')}`
  })
  return `${[
    '# Idempotent requests: comparison with other libraries',
    'Written by `npm run bench:idempotency -- --write`, which runs the published packages with the same handlers and faults, over real Redis servers where a library uses one. Every ok and FAILS was observed in that run. **none**: there is no such feature; the observations below say what is missing.',
    `Versions: ${versions.join(', ')}.`,
    'Each library is used as its documentation says: Powertools with its cache persistence on Redis, and with a payload validation or the user in its key where the row is about that (these options are off in the other rows, which would fail with them); express-idempotency with its default adapter, which keeps answers in memory. `hono-idempotency` and `@idempot/hono-middleware` could not be installed where this was run, so nothing is said about them.',
    [
      line(['', 'behaviour', ...names]),
      line(['--:', '---', ...names.map(() => '---')]),
      ...table,
    ].join('\n'),
    '## Observations',
    ...words,
  ].join('\n\n')}\n`
}

await runCommand<{ only?: string; write?: true }>(
  {
    name: 'npm run bench:idempotency --',
    description: 'Run published libraries for idempotent requests through the same faults',
    options: {
      only: new Option('--only <row>', 'one behaviour, by its number or id'),
      write: flagOption('--write', 'write docs/idempotency-comparison.md'),
    },
  },
  async ({ only, write }) => {
    const chosen = behaviours.filter(({ id }, at) => !only || [id, `${at + 1}`].includes(only))
    if (chosen.length === 0) throw new Error(`No behaviour ${only}`)
    if (only && write) throw new Error('--write needs all behaviours')
    const rows: Row[] = []
    for (const behaviour of chosen) {
      const cells = await Promise.all(contestants.map((one) => observe(one, behaviour)))
      rows.push({ behaviour, cells })
    }
    const versions = await Promise.all(contestants.map(versionOf))
    if (write) await writeFile(page, markdown(rows, versions))
    const table = new Table({ head: ['', 'behaviour', ...versions] })
    for (const [index, { behaviour, cells }] of rows.entries()) {
      const texts = cells.map(({ value, saw }) => (only ? `${value}: ${saw}` : value))
      table.push([index + 1, behaviour.title, ...texts])
    }
    const failed = contestants.map(
      ({ name }, at) =>
        `${name} ${rows.filter(({ cells }) => cells[at]!.value === 'FAILS').length}`,
    )
    return {
      isMet: rows.every(({ cells }) => cells[0]!.value === 'ok'),
      json: { versions, rows: rows.map(({ behaviour, cells }) => ({ id: behaviour.id, cells })) },
      lines: [table.toString(), `Rivals: of ${rows.length} behaviours fail ${failed.join(', ')}`],
    }
  },
)
