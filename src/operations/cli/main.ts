#!/usr/bin/env node
import process from 'node:process'
import { runDoctor } from './doctor.ts'
import { runInspect } from './inspect.ts'
import { runRelease } from './release.ts'
import { runWatch } from './watch.ts'

// The command `npx --no edge-redlock`.

const usage = `Usage: edge-redlock <command> [options]

Commands:
  doctor          check the nodes, and show how to fix their problems
  inspect <key>   show who holds the lock, and for how long
  release <key>   free the lock from any holder; with --id only from that holder
  watch           show the state and latency of each node, every second

The commands read the variables of fromEnv() from the first of these that has them: the environment,
.dev.vars, .env.local or .env. They never print a token. For nodes over TCP, add the redis:// URL of
each node; this needs the package ioredis. To keep passwords off the command line, set
REDLOCK_PASSWORD for all of these servers, or REDLOCK_PASSWORD_1 for the first, and so on.
release takes one or more keys.

Options:
  --from <file>        read the variables from this file
  --prefix <prefix>    the prefix of your Redlock (default: lock:)
  --node-timeout <ms>  the nodeTimeout of your Redlock (default: 2000)
  --json               print JSON
  --kind <kind>        inspect, release: lock (default) or throttle; inspect: also claim
  --limit <number>     inspect, release: the limit of the lock or throttle
  --id <id>            release: the ID of the holder to forget
  --interval <ms>      watch: how often to look (default: 1000); 0 looks once
  --max-ttl <ms>       doctor: the maxTtl of your Redlock, or its ttl if it has none;
                       required if a node is volatile
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
    // Do not print what follows `://`: the argument may be a URL with a password.
    const shown = JSON.stringify(command.replace(/:\/\/.*/, '://...'))
    throw new Error(`There is no command ${shown}.\n\n${usage}`)
  }
  process.exitCode = (await commands[command]!(args)) ? 0 : 1
}

// Exit quietly if the reader of the output closes it early, as `head` does.
process.stdout.on('error', () => process.exit())

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
