import { exitCodeOf } from '../run/execute.ts'
import { runPlan } from './run-group.ts'

// `npm test`: runs the checks that take less than two minutes. Arguments select tests instead, as in
// `npm test -- test/unit/retry.test.ts -t 'no delay'`.

const args = process.argv.slice(2)
process.exitCode =
  args.length > 0 ? await exitCodeOf(['vitest', 'run', ...args]) : await runPlan('test')
