import { readFile } from 'node:fs/promises'
import { Argument } from 'commander'
import { runCommand } from '../../tools/cli/command.ts'
import { parseHistory } from './campaign/history.ts'
import { describe, faultTable, figure } from './campaign/report.ts'
import { check } from './checker/check.ts'

// Checks the history of an earlier campaign again.

await runCommand(
  {
    name: 'node verification/chaos/check.ts',
    description: 'Check the history of a campaign',
    options: {},
    arguments: [
      new Argument('<file>', 'a file written by npm run verify -- chaos --history <file>'),
    ],
  },
  async (_, { args }) => {
    const verdict = check(parseHistory(await readFile(args[0]!, 'utf8')))
    return {
      isMet: verdict.violations.length === 0,
      json: verdict,
      lines: [faultTable(verdict), ...describe(verdict), figure(verdict)],
    }
  },
)
