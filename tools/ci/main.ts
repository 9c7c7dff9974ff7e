import { Argument, Command } from 'commander'
import { exitCodeOf } from '../run/execute.ts'
import { runGroup, runPlan } from './run-group.ts'
import { groups } from './steps.ts'

// `npm run ci`: the checks that take longer than `npm test`, or install more.

/** Prints each group with its steps, their minutes and their reasons. */
const list = (): void => {
  for (const [group, { steps, atOnce = steps.length }] of Object.entries(groups)) {
    console.log(`${group}: ${atOnce === steps.length ? 'all' : atOnce} at a time`)
    for (const { name, minutes, command, why } of steps) {
      console.log(`  ${name}, ${minutes} minutes: ${command}\n    ${why}`)
    }
  }
}

const program = new Command('npm run ci --')
  .description('Run the steps that CI runs after npm test')
  .addArgument(
    new Argument('[group]', 'only this group of tools/ci/steps.ts').choices(Object.keys(groups)),
  )
  .option('--list', 'print the groups, and for each step its minutes and why it is there')
  .action(async (group: string | undefined, options: { list?: true }) => {
    if (options.list) return list()
    if (group !== undefined) return void (process.exitCode = await runGroup(group))
    process.exitCode = await exitCodeOf(['node', 'tools/release/ensure-chromium.ts'])
    if (process.exitCode === 0) process.exitCode = await runPlan('ci')
  })
await program.parseAsync()
