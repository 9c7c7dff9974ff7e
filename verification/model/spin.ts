import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Check } from './check.ts'
import { readTrace } from './trace.ts'

/** The paths of the programs. */
export type Tools = { readonly spin: string; readonly compiler: string }

/** The output of the verifier, and the trace of the run that it found, if any. */
export type Run = { readonly output: string; readonly trace: string[]; readonly seconds: number }

const model = fileURLToPath(new URL('.', import.meta.url))

/** The settings of a check as options for the preprocessor. */
export const defines = (settings: Check['settings']): string[] =>
  Object.entries(settings).map(([name, value]) =>
    value === true ? `-D${name}` : `-D${name}=${value}`,
  )

// Exact storage of states, and assertions only. Partial order reduction is off: it would not help, because all steps
// of the model act on shared data.
const exhaustive = ['-O2', '-DSAFETY', '-DNOREDUCE']
// -DREACH finds the shortest counterexample: states that are reached again on a shorter path are
// searched again. There is little to search, so compiling fast matters more than running fast.
const shortest = ['-O1', '-DSAFETY', '-DNOREDUCE', '-DREACH']

// Counterexamples have about twenty steps at most, of a few transitions each.
const shortDepths = { fencing: 80, records: 150 }
// Far more than the bounds allow. If it is too little, the verifier reports it.
const fullDepth = 10_000

/** Generates a verifier for the check, runs it, and replays the run that it found. */
export const run = async (
  { model: name, expected, settings, isFirst = false }: Check,
  { spin, compiler }: Tools,
  { memory, signal }: { memory: number; signal: AbortSignal },
): Promise<Run> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-model-'))
  const start = performance.now()
  try {
    await cp(model, directory, { recursive: true, filter: (path) => !path.endsWith('.ts') })
    const options = { cwd: directory, cancelSignal: signal, forceKillAfterDelay: 1000 }
    const source = [`-P${compiler} -E -x c`, ...defines(settings), `${name}.pml`]
    await execa(spin, ['-a', ...source], options)
    const isProof = expected === 'holds'
    const isShortest = !isProof && !isFirst
    const flags = [...(isShortest ? shortest : exhaustive), `-DMEMLIM=${memory}`]
    await execa(compiler, [...flags, '-w', '-o', 'pan', 'pan.c'], options)
    const depth = isShortest ? [`-m${shortDepths[name]}`, '-i'] : [`-m${fullDepth}`]
    // -E: a state without a next step is not an error here, because every run ends in one.
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
