import * as Plot from '@observablehq/plot'
import { readFile } from 'node:fs/promises'
import { parseHTML } from 'linkedom'

// Pictures of what was measured, made from the reports when the site is built. Each exists for a desktop and for a phone.
// An image follows the color scheme of the page.

type Width = 'wide' | 'narrow'

/** A picture. Its alternative text has its figures. */
export type Chart = {
  readonly alt: string
  readonly caption: string
  readonly svg: Readonly<Record<Width, string>>
}

type Burst = {
  readonly contestant: string
  readonly condition: string
  readonly size: number
  readonly bursts: number
  readonly one: number
  readonly toWinner: number
}

type SickBurst = Burst & { readonly p90: number | null; readonly unanswered: number }

const own = 'edge-redlock'
const look = { style: { fontSize: '13px' } } as const
const reports = new URL('../../verification/reports/', import.meta.url)
const read = (file: string): Promise<string> => readFile(new URL(file, reports), 'utf8')

const style = `
svg { --text: #3c3c43; --soft: #67676c; --line: #e2e2e3; --own: #3451b2; --other: #a9b0c0; --ok: #18794e; --fails: #b8272c; --none: #c2c2c4; color: var(--text); background: none }
text { font-family: ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif }
@media (prefers-color-scheme: dark) {
  svg { --text: #dfdfd6; --soft: #98989f; --line: #2e2e32; --own: #8da4ff; --other: #5d6474; --ok: #3dd68c; --fails: #f66f81; --none: #515c67 }
}`

/** Draws a plot into a file of its own, whose colors follow those of the page. */
const draw = (options: Plot.PlotOptions): string => {
  const { document } = parseHTML('<html><body></body></html>')
  const plot = Plot.plot({ ...options, document })
  plot.querySelector('style')?.remove()
  plot.removeAttribute('class')
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return plot.outerHTML.replace('>', `><style>${style}</style>`)
}

/** The bursts of a benchmark, by libraries with their default options. */
const readBursts = async <T extends Burst>(file: string): Promise<T[]> => {
  const { result } = JSON.parse(await read(`benchmarks/${file}.json`)) as {
    result: { bursts: T[] }
  }
  return result.bursts.filter(({ contestant }) => !contestant.includes(','))
}

/** What a library did in one group of the picture. */
type Bar = {
  readonly group: string
  readonly library: string
  readonly value: number
  readonly label: string
}

/** A bar of each library, in groups. */
const barsOf = (title: string, caption: string, bars: readonly Bar[]): Chart => {
  const libraries = [...new Set(bars.map(({ library }) => library))]
  const groups = [...new Set(bars.map(({ group }) => group))]
  const max = Math.max(...bars.map(({ value }) => value))
  const of = (facet: 'fx' | 'fy', options: Plot.PlotOptions): string =>
    draw({
      ...look,
      marginLeft: 126,
      marginRight: 4,
      marginBottom: 4,
      // Room for the label at the end of the longest bar.
      x: { axis: null, domain: [0, max * 1.4] },
      y: { label: null, domain: libraries, tickSize: 0, padding: 0.3 },
      ...options,
      marks: [
        Plot.barX(bars, {
          [facet]: 'group',
          x: 'value',
          y: 'library',
          fill: ({ library }: Bar) => (library === own ? 'var(--own)' : 'var(--other)'),
          rx: 2,
        }),
        Plot.text(bars, {
          [facet]: 'group',
          x: 'value',
          y: 'library',
          text: 'label',
          textAnchor: 'start',
          dx: 5,
        }),
        Plot.text(groups, {
          [facet]: (group: string) => group,
          text: (group: string) => group,
          frameAnchor: 'top-left',
          dy: -18,
          fontWeight: 600,
        }),
      ],
    })
  const told = (group: string): string =>
    bars
      .filter((bar) => bar.group === group)
      .map(({ library, label }) => `${library} ${label}`)
      .join(', ')
  return {
    alt: `${title}. ${groups.map((group) => `${group}: ${told(group)}.`).join(' ')}`,
    caption,
    svg: {
      wide: of('fx', {
        width: 860,
        height: 200,
        marginTop: 28,
        fx: { axis: null, domain: groups, padding: 0.06 },
      }),
      narrow: of('fy', {
        width: 360,
        height: 580,
        marginTop: 28,
        fy: { axis: null, domain: groups, padding: 0.22 },
      }),
    },
  }
}

const sizes = new Set([2, 5, 50])

/** The bursts of a few sizes while all nodes are well. */
const burstBars = async (
  tell: (burst: Burst) => [value: number, label: string],
): Promise<Bar[]> => {
  const bursts = await readBursts('contention')
  return bursts
    .filter(({ size, condition }) => sizes.has(size) && condition === 'all well')
    .map((burst) => {
      const [value, label] = tell(burst)
      return { group: `${burst.size} clients at once`, library: burst.contestant, value, label }
    })
}

const winners = async (): Promise<Chart> =>
  barsOf(
    'Bursts with one winner',
    'The share of bursts with one winner, with one attempt for each client. The other bursts had none.',
    await burstBars(({ one, bursts }) => [one / bursts, `${Math.round((one / bursts) * 100)} %`]),
  )

const timeToWinner = async (): Promise<Chart> =>
  barsOf(
    'Median time to the winner',
    'The median time to the winner, in bursts that have one.',
    await burstBars(({ toWinner }) => [toWinner, `${Math.round(toWinner)} ms`]),
  )

const conditions: Readonly<Record<string, RegExp>> = {
  'All nodes well': /^all well$/,
  'One node hangs': /hangs$/,
  'One node 100-300 ms late': /late$/,
}

const sickNode = async (): Promise<Chart> => {
  const pairs = (await readBursts<SickBurst>('sick')).filter(({ size }) => size === 2)
  const libraries = [...new Set(pairs.map(({ contestant }) => contestant))]
  const bars = Object.entries(conditions).flatMap(([group, condition]) =>
    libraries.map((library): Bar => {
      const own = pairs.filter((one) => one.contestant === library && condition.test(one.condition))
      const unanswered = own.reduce((sum, one) => sum + one.unanswered, 0)
      const value = Math.max(...own.map(({ p90 }) => p90 ?? 0))
      const label = value > 0 ? `${Math.round(value)} ms` : 'without answer'
      const missing = value > 0 && unanswered > 0 ? `, ${unanswered} without answer` : ''
      return { group, library, value, label: label + missing }
    }),
  )
  return barsOf(
    'Time to an answer with one sick node',
    'Two clients, five nodes: the time within which 90 % of the clients had an answer. Without answer means none within three seconds. For edge-redlock, the slowest of three places of that node.',
    bars,
  )
}

type Cell = { readonly row: number; readonly library: string; readonly seen: string }

/** The cells of a table of behaviors: ok, FAILS or none. */
const readCells = async (report: string, section: RegExp): Promise<Cell[]> => {
  const page = await read(`${report}.md`)
  const table = section.exec(page)![0]
  const [head, , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return rows.flatMap(([number, , ...cells]) =>
    cells.map((cell, index) => ({
      row: Number(number),
      library: head![index + 2]!.replaceAll('`', ''),
      seen: /ok|FAILS|none/.exec(cell)![0],
    })),
  )
}

const looks: Readonly<Record<string, { readonly fill: string; readonly mark: string }>> = {
  ok: { fill: 'var(--ok)', mark: '✓' },
  FAILS: { fill: 'var(--fails)', mark: '✗' },
  none: { fill: 'var(--none)', mark: '–' },
}

/** A field for each case and library. */
const fieldsOf = (cells: readonly Cell[], title: string): Chart => {
  const libraries = [...new Set(cells.map(({ library }) => library))]
  const rows = [...new Set(cells.map(({ row }) => row))]
  const countOf = (library: string): number =>
    cells.filter((cell) => cell.library === library && cell.seen === 'ok').length
  const marks = (x: string, y: string): Plot.Markish[] => [
    Plot.cell(cells, {
      x,
      y,
      fill: ({ seen }: Cell) => looks[seen]!.fill,
      fillOpacity: 0.16,
      inset: 1,
      rx: 3,
    }),
    Plot.text(cells, {
      x,
      y,
      text: ({ seen }: Cell) => looks[seen]!.mark,
      fill: ({ seen }: Cell) => (seen === 'none' ? 'var(--soft)' : looks[seen]!.fill),
      fontWeight: 600,
    }),
  ]
  const common = { ...look, padding: 0 } as const
  return {
    alt: `${title}. ${libraries.map((library) => `${library}: ${countOf(library)} of ${rows.length}`).join(', ')}.`,
    caption:
      '✓ the library does it, ✗ it does not, – it has no such feature. The numbers are those of the table, and we chose the cases.',
    svg: {
      wide: draw({
        ...common,
        width: 860,
        height: 44 + 26 * libraries.length,
        marginLeft: 176,
        marginRight: 56,
        marginTop: 30,
        marginBottom: 6,
        x: { label: null, axis: 'top', domain: rows, tickSize: 0 },
        y: { label: null, domain: libraries, tickSize: 0 },
        marks: [
          ...marks('row', 'library'),
          Plot.text(libraries, {
            y: (library: string) => library,
            frameAnchor: 'right',
            textAnchor: 'start',
            dx: 8,
            fontWeight: 600,
            text: (library: string) => `${countOf(library)}`,
          }),
        ],
      }),
      narrow: draw({
        ...common,
        width: 360,
        height: 164 + 22 * rows.length,
        marginLeft: 30,
        marginRight: 26,
        marginTop: 140,
        marginBottom: 24,
        x: { label: null, axis: 'top', domain: libraries, tickSize: 0, tickRotate: -90 },
        y: { label: null, domain: rows, tickSize: 0 },
        marks: [
          ...marks('library', 'row'),
          Plot.text(libraries, {
            x: (library: string) => library,
            frameAnchor: 'bottom',
            dy: 14,
            fontWeight: 600,
            text: (library: string) => `${countOf(library)}`,
          }),
        ],
      }),
    },
  }
}

const behaviors = async (): Promise<Chart> =>
  fieldsOf(
    await readCells('comparison', /^\|\s+\| behaviour[\s\S]*?\n\n/m),
    'Behaviors that each library has',
  )

const requests = async (): Promise<Chart> =>
  fieldsOf(
    await readCells('idempotency-comparison', /^\|\s+\| behaviour \| edge-redlock[\s\S]*?\n\n/m),
    'Behaviors that each library has',
  )

const faults = async (): Promise<Chart> => {
  const { faults: counts } = JSON.parse(await read('chaos.json')) as {
    faults: Record<string, number>
  }
  const bars = Object.entries(counts).map(([fault, count]) => ({ fault, count }))
  const of = (width: number): string =>
    draw({
      ...look,
      width,
      height: 24 * bars.length + 12,
      marginLeft: 204,
      marginRight: 36,
      marginTop: 4,
      marginBottom: 4,
      x: { axis: null },
      y: { label: null, domain: bars.map(({ fault }) => fault), tickSize: 0, padding: 0.3 },
      marks: [
        Plot.barX(bars, { x: 'count', y: 'fault', fill: 'var(--own)', rx: 2 }),
        Plot.text(bars, { x: 'count', y: 'fault', text: 'count', textAnchor: 'start', dx: 5 }),
      ],
    })
  return {
    caption: 'How often each fault happened in the latest run.',
    alt: `Faults of the run. ${bars.map(({ fault, count }) => `${fault}: ${count}`).join(', ')}.`,
    svg: { wide: of(640), narrow: of(360) },
  }
}

/** Makes all pictures, by name. */
export const makeCharts = async (): Promise<Readonly<Record<string, Chart>>> => ({
  winners: await winners(),
  'time-to-winner': await timeToWinner(),
  'sick-node': await sickNode(),
  behaviors: await behaviors(),
  requests: await requests(),
  faults: await faults(),
})
