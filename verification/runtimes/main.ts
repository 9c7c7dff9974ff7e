import { runCommand } from '../../tools/cli/command.ts'
import { flagOption, onlyOption } from '../../tools/cli/options.ts'
import type { Case } from './case.ts'
import { bodyCases } from './cases/body.ts'
import { coreCases } from './cases/core.ts'
import { disconnectCases } from './cases/disconnect.ts'
import { idempotencyCases } from './cases/idempotency.ts'
import { rejectionCases } from './cases/rejection.ts'
import { releaseCases } from './cases/release.ts'
import { hosts, versions } from './hosts.ts'
import { type Matrix, toTable } from './matrix.ts'
import { writeRuntimes } from './page.ts'
import { runMatrix } from './run-matrix.ts'

const groups: Readonly<Record<string, readonly Case[]>> = {
  'inside the runtime': coreCases,
  'released after': releaseCases,
  'the body': bodyCases,
  'the client disconnects': disconnectCases,
  rejected: rejectionCases,
  'idempotent requests': idempotencyCases,
}
const cases = Object.values(groups).flat()

await runCommand<{ only?: string; write?: true }>(
  {
    name: 'npm run verify -- conformance',
    description: 'Run one suite on every runtime, against real Redis servers',
    options: {
      only: onlyOption('runtimes'),
      write: flagOption('--write', 'write the table of verification/reports/runtimes.md'),
    },
  },
  async ({ only, write }) => {
    if (only && write) throw new Error('--write needs all runtimes: leave out --only')
    const chosen = hosts.filter(({ name }) => !only || name.includes(only))
    const cells = await runMatrix(cases, chosen, 5, 3)
    const matrix: Matrix = {
      runtimes: chosen.map(({ name }) => name),
      groups,
      cellOf: (one, name) => cells.get(one)!.get(name)!,
    }
    const all = cases.flatMap((one) =>
      matrix.runtimes.map((runtime) => {
        const { outcome, why } = matrix.cellOf(one, runtime)
        return { case: one.name, runtime, outcome, why }
      }),
    )
    const failed = all.filter(({ outcome }) => outcome === 'failed')
    const skipped = all.filter(({ outcome }) => outcome === 'none').length
    const isMet = failed.length === 0
    if (write && isMet) await writeRuntimes(matrix, versions())
    const held = all.length - failed.length - skipped
    return {
      isMet,
      json: { isMet, cells: all },
      lines: [
        toTable(matrix),
        ...failed.map((cell) => `${cell.runtime}, ${cell.case}: ${cell.why}`),
        ...(write && !isMet
          ? ['verification/reports/runtimes.md is not written, since a cell failed.']
          : []),
        `Conformance: ${held} of ${all.length} cells hold on ${chosen.length} runtimes, ${skipped} cannot be shown, ${failed.length} failed.`,
      ],
    }
  },
)
