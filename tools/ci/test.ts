import { exitCodeOf } from '../run/execute.ts'
import { runPlan } from './run-group.ts'

// `npm test` runs all checks that take less than two minutes. With arguments, such as a file, it runs only those
// tests: `npm test -- test/unit/retry.test.ts -t 'no delay'`.

const args = process.argv.slice(2)
process.exitCode =
  args.length > 0 ? await exitCodeOf(['vitest', 'run', ...args]) : await runPlan('test')
