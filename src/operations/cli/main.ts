#!/usr/bin/env node
import process from 'node:process'
import { runDoctor } from './doctor.ts'
import { runInspect } from './inspect.ts'
import { runRelease } from './release.ts'
import { runWatch } from './watch.ts'

// `npx --no edge-redlock`. The exit code is 2 where the command line or the configuration is wrong.

const usage = `Usage: edge-redlock <command> [options]

Commands:
  doctor          check the nodes, and say how to fix what is wrong with them
  inspect <key>   who holds the lock, and for how long
  release <key>   free the lock, whoever holds it; with --id only that holder
  watch           the state and latency of each node, every second

They read the variables of fromEnv() from the environment, .dev.vars, .env.local or .env,
whichever has them first. They never print a token. For nodes over TCP, add the redis:// url of each:
they need the package ioredis. REDLOCK_PASSWORD is the password of all of these servers, and
REDLOCK_PASSWORD_1 that of the first, so that no command line shows one. release takes several keys, one after the other.

Options:
  --from <file>        read the variables from this file
  --prefix <prefix>    the prefix of your Redlock (default: lock:)
  --node-timeout <ms>  the nodeTimeout of your Redlock (default: 2000)
  --json               print JSON
  --kind <kind>        inspect, release: lock (default) or throttle; inspect: also claim
  --limit <number>     inspect, release: the limit of the lock or throttle
  --id <id>            release: the id of the holder to forget
  --interval <ms>      watch: how often to look (default: 1000); 0 looks once
  --max-ttl <ms>       doctor: the maxTtl of your Redlock, or its ttl where it has none;
                       required where a node is volatile
  --help               print this text

Exit code: 0 if all is well, 1 if there is a problem, 2 if the command could not be run.`

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<boolean>>> = {
  doctor: runDoctor,
  inspect: runInspect,
  release: runRelease,
  watch: runWatch,
}

const main = async ([command, ...args]: readonly string[]): Promise<void> => {
  if (command === undefined || command === 'help' || [command, ...args].includes('--help')) {
    console.log(usage)
    return
  }
  if (!Object.hasOwn(commands, command)) {
    // It may be a url with a password.
    const shown = JSON.stringify(command.replace(/:\/\/.*/, '://...'))
    throw new Error(`There is no command ${shown}.\n\n${usage}`)
  }
  process.exitCode = (await commands[command]!(args)) ? 0 : 1
}

// Whoever reads the output may have had enough, as `head` has.
process.stdout.on('error', () => process.exit())

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
