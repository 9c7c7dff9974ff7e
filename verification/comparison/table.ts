import Table from 'cli-table3'
import type { Behaviour } from './behaviours/behaviour.ts'
import type { Observation } from './observation.ts'

/** One column: a contestant, its package, and its observations by the ID of the behavior. */
export type Column = {
  readonly name: string
  readonly version: string
  readonly observations: ReadonlyMap<string, Observation>
}

const textOf = (observation: Observation | undefined): string => {
  if (!observation) return '?'
  return observation.needsTimeout ? `${observation.value} *` : observation.value
}

const footnote =
  '* Only with a command timeout (commandTimeout of ioredis, signal of @upstash/redis, timeout of the adapter), which its README does not ask for. It fails without one.'

/** The table for a terminal. */
export const terminalTable = (
  rows: readonly Behaviour[],
  columns: readonly Column[],
  numberOf: (row: Behaviour) => number,
): string => {
  const table = new Table({
    head: ['', 'behaviour', ...columns.map(({ name }) => name)],
    style: { head: [], border: [], compact: true },
    colWidths: [4, 44],
    wordWrap: true,
  })
  for (const row of rows) {
    const cells = columns.map(({ observations }) => textOf(observations.get(row.id)))
    table.push([numberOf(row), row.title, ...cells])
  }
  return `${table.toString()}\n${footnote}`
}

// How the comparison is set up, and why that is fair.
const fairness = [
  'Each library runs in a process of its own. It is used as its README says, with the client that it asks for: ioredis for TCP, `@upstash/redis` or `fetch` for REST. There are three servers; `@upstash/lock` uses one, since it supports no more. A fault is injected between client and server, by the same function for all libraries. Before it begins, scripts have been loaded and each call has been made once.',
  'Every choice favours the other libraries. Each has a command timeout of 500 ms unless a case sets another one, even where only the options of its client can set it. A TCP connection keeps the order of its commands, so a release never overtakes an acquire. A lost connection is reported at once, and ioredis does not resend the command, as it would by default. The number of retries suits the case.',
]

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The page in Markdown: the table, then each row in words. */
export const markdown = (
  rows: readonly Behaviour[],
  columns: readonly Column[],
  around: readonly string[],
): string => {
  const versions = [...columns.map(({ version }) => version), ...around]
  const matrix = rows.map((row, index) =>
    line([
      `${index + 1}`,
      `[${row.title}](#${row.id})`,
      ...columns.map(({ observations }) => {
        const text = textOf(observations.get(row.id)).replace('*', '\\*')
        return text === 'FAILS' ? '**FAILS**' : text
      }),
    ]),
  )
  const words = rows.map((row, index) => {
    // The title already describes an ok.
    const seen = columns.flatMap(({ name, observations }) => {
      const observation = observations.get(row.id)
      if (observation?.value === 'ok') return []
      return `- ${name}: ${textOf(observation)} (${observation?.saw})`
    })
    const test = `<a id="${row.id}"></a>**${index + 1}. ${row.title}.** ${row.test} Known from: ${row.known}`
    return seen.length > 0 ? `${test}\n\n${seen.join('\n')}` : test
  })
  return `${[
    '# Comparison with other libraries',
    'This page shows how other libraries behave with faulty servers. `npm run verify -- rivals --write` writes it: the command runs the published packages with the same faults against the same real servers, and inspects the servers afterwards. Every ok and FAILS was observed in that run. The adapters in `verification/comparison/contestants` list the features that a library lacks.',
    `Last run on ${new Date().toISOString().slice(0, 10)}. Versions: ${versions.join(', ')}.`,
    '**ok**: the library was observed to do this. **FAILS**: it was observed not to. **none**: it has no such feature, and the observation says what is missing.',
    footnote.replace('*', '\\*'),
    ...fairness,
    [
      line(['', 'behaviour', ...columns.map(({ name }) => name)]),
      line(['--:', '---', ...columns.map(() => '---')]),
      ...matrix,
    ].join('\n'),
    '## Observations',
    ...words,
  ].join('\n\n')}\n`
}

/** The result in one line. */
export const figure = (rows: readonly Behaviour[], columns: readonly Column[]): string => {
  const counts = columns.map(({ name, observations }) => {
    const failed = rows.filter(({ id }) => observations.get(id)?.value === 'FAILS')
    return `${name} fails ${failed.length}`
  })
  return `Rivals: ${counts[0]} of ${rows.length} behaviours; ${counts.slice(1).join(', ')}`
}
