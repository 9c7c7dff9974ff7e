import { exitCodeOf } from '../run/execute.ts'
import { groups, plans, type Step } from './steps.ts'

/** The shell command of a step. */
const commandOf = ({ command, isPatient }: Step): string =>
  isPatient ? `nice -n 19 ${command}` : command

/**
 * Runs the steps of a group with the package `concurrently`, and returns its exit code. Prints the output of each step
 * in one piece, then the times. If a step fails, the others are stopped.
 */
export const runGroup = async (name: string): Promise<number> => {
  const { steps, atOnce = steps.length, isOfGroups } = groups[name]!
  return exitCodeOf([
    'concurrently',
    '--kill-others-on-fail',
    ...(isOfGroups ? [] : ['--group', '--timings']),
    `--max-processes=${atOnce}`,
    `--names=${steps.map((step) => step.name).join()}`,
    ...steps.map(commandOf),
  ])
}

/** Runs the groups of a plan until one fails, and returns the last exit code. */
export const runPlan = async (plan: keyof typeof plans): Promise<number> => {
  for (const name of plans[plan]) {
    const exitCode = await runGroup(name)
    if (exitCode !== 0) return exitCode
  }
  return 0
}
