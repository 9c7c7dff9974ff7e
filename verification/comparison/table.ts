import Table from 'cli-table3'
import type { Behaviour } from './behaviours/behaviour.ts'
import type { Observation } from './observation.ts'

/** One column: a contestant, its package, and its observations by the id of the behaviour. */
export type Column = {
  readonly name: string
  readonly version: string
  readonly observations: ReadonlyMap<string, Observation>
}

const textOf = (observation: Observation | undefined): string => {
  if (!observation) return '?'
  return observation.needsTimeout ? `${observation.value} *` : observation.value
}

export const footnote =
  '* Only where commands are given a timeout (commandTimeout of ioredis, signal of @upstash/redis, timeout of the adapter), which its README does not ask for. It fails without.'

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
  'Each library is used as its README says, through the client that it asks for: ioredis for TCP, `@upstash/redis` or `fetch` for REST, in a process of its own. Three servers; `@upstash/lock` has one, since it knows no more. A fault stands between client and server, and is the same function for all of them; it meets libraries whose scripts are loaded and that have made each step once before.',
  'Where a choice was to be made, it was made for the rival: every rival has 500 ms for a command unless a case says otherwise, also where only the options of its client can say so; one TCP connection keeps its order, so that a release never overtakes an acquire; a lost connection is reported at once and ioredis does not send the command again, as it would by itself; the number of retries is what suits the case.',
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
    const seen = columns.map(({ name, observations }) => {
      const observation = observations.get(row.id)
      return `- ${name}: ${textOf(observation).replace('*', '\\*')} (${observation?.saw})`
    })
    return [
      `<a id="${row.id}"></a>**${index + 1}. ${row.title}.** ${row.test} Known from: ${row.known}`,
      seen.join('\n'),
    ].join('\n\n')
  })
  return `${[
    '# Beside other libraries',
    'Written by `node verification/comparison/main.ts --write` (once `npm ci --prefix verification` has been run), which runs the published packages through the same faults before the same real servers and looks into the servers afterwards. Every ok and FAILS is what was seen in that run; of what a library has no feature for, the adapter in `verification/comparison/contestants` says so.',
    `Versions: ${versions.join(', ')}.`,
    '**ok**: seen to do so. **FAILS**: seen not to. **none**: has no such feature, the words say what is missing.',
    footnote.replace('*', '\\*'),
    ...fairness,
    [
      line(['', 'behaviour', ...columns.map(({ name }) => name)]),
      line(['--:', '---', ...columns.map(() => '---')]),
      ...matrix,
    ].join('\n'),
    '## What was seen',
    ...words,
  ].join('\n\n')}\n`
}

/** The figure in one line. */
export const figure = (rows: readonly Behaviour[], columns: readonly Column[]): string => {
  const counts = columns.map(({ name, observations }) => {
    const failed = rows.filter(({ id }) => observations.get(id)?.value === 'FAILS')
    return `${name} fails ${failed.length}`
  })
  return `Rivals: ${counts[0]} of ${rows.length} behaviours; ${counts.slice(1).join(', ')}`
}
