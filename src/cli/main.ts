#!/usr/bin/env node
import process from 'node:process'
import { runDoctor } from './doctor.ts'

// `npx --no edge-redlock doctor`. The exit code is 2 where the command line or the configuration is wrong.

const usage = `Usage: edge-redlock doctor [options]

Checks the Redis nodes of a Redlock, and says how to fix what is wrong with them.
It reads the variables of Redlock.fromEnv() from the environment, from .dev.vars or from .env,
whichever has them first. It never prints a token.

Options:
  --from <file>        read the variables from this file
  --prefix <prefix>    the prefix of your Redlock (default: lock:)
  --max-ttl <ms>       the maxTtl of your Redlock, or its ttl where it has none;
                       required where a node is volatile
  --node-timeout <ms>  the nodeTimeout of your Redlock (default: 2000)
  --json               print the report and the findings as JSON
  --help               print this text

Exit code: 0 if all is well, 1 if there is a problem, 2 if the check could not be made.`

const main = async ([command, ...args]: readonly string[]): Promise<void> => {
  if (command === undefined || command === 'help' || [command, ...args].includes('--help')) {
    console.log(usage)
  } else if (command === 'doctor') {
    process.exitCode = (await runDoctor(args)) ? 0 : 1
  } else {
    throw new Error(`There is no command ${JSON.stringify(command)}.\n\n${usage}`)
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
