import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Check } from './checks.ts'
import { readTrace } from './trace.ts'

/** The commands, as files. */
export type Tools = { readonly spin: string; readonly compiler: string }

/** What a run printed, and the trace of the run that it found, if it found one. */
export type Run = { readonly output: string; readonly trace: string[]; readonly seconds: number }

const model = fileURLToPath(new URL('.', import.meta.url))
const file = 'fencing.pml'

/** The settings of a check as -D. */
export const defines = (settings: Check['settings']): string[] =>
  Object.entries(settings).map(([name, value]) =>
    value === true ? `-D${name}` : `-D${name}=${value}`,
  )

// Exact storage of states, assertions only, no partial order reduction: the model has none to give,
// since all its steps are on shared data.
const exhaustive = ['-O2', '-DSAFETY', '-DNOREDUCE']
// To look for a counterexample, states that are met again on a shorter way are searched again, so
// that the shortest is found. Compiled faster, since there is little to search.
const shortest = ['-O1', '-DSAFETY', '-DNOREDUCE', '-DREACH']

// A counterexample has at most some twenty steps, of two transitions each, after the beginning.
const shortDepth = 80
// Far more than the bounds allow; the verifier says so if it is not.
const fullDepth = 10_000

/** Has SPIN make a verifier for the check, runs it, and replays what it found. */
export const run = async (
  { expected, settings }: Check,
  { spin, compiler }: Tools,
  { memory, signal }: { memory: number; signal: AbortSignal },
): Promise<Run> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-model-'))
  const start = performance.now()
  try {
    await cp(model, directory, { recursive: true, filter: (path) => !path.endsWith('.ts') })
    const options = { cwd: directory, cancelSignal: signal, forceKillAfterDelay: 1000 }
    const source = [`-P${compiler} -E -x c`, ...defines(settings), file]
    await execa(spin, ['-a', ...source], options)
    const isProof = expected === 'holds'
    const flags = [...(isProof ? exhaustive : shortest), `-DMEMLIM=${memory}`]
    await execa(compiler, [...flags, '-w', '-o', 'pan', 'pan.c'], options)
    const depth = isProof ? [`-m${fullDepth}`] : [`-m${shortDepth}`, '-i']
    // -E: that no step is left is how every run ends here, and no error.
    const { stdout } = await execa('./pan', ['-E', ...depth], { ...options, stderr: 'inherit' })
    const replay = stdout.includes('wrote ')
      ? (await execa(spin, ['-t', ...source], options)).stdout
      : ''
    const seconds = (performance.now() - start) / 1000
    return { output: stdout, trace: readTrace(replay), seconds }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
