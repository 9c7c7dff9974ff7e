import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { parseHistory } from './campaign/history.ts'
import { describe, faultTable, figure } from './campaign/report.ts'
import { check } from './checker/check.ts'

// Checks the history of an earlier campaign again.

const program = new Command('node verification/chaos/check.ts')
  .description('Check the history of a campaign')
  .argument('<file>', 'a file written by npm run chaos -- --history <file>')
  .option('--json', 'print the result as JSON')
  .parse()

try {
  const verdict = check(parseHistory(await readFile(program.args[0]!, 'utf8')))
  if (verdict.violations.length > 0) process.exitCode = 1
  if (program.opts<{ json?: true }>().json) console.log(JSON.stringify(verdict))
  else
    for (const line of [faultTable(verdict), ...describe(verdict), figure(verdict)])
      console.log(line)
} catch (error) {
  reportFailure(error)
}
