import { SingleBar } from 'cli-progress'
import type { Fault } from '../nemesis/fault.ts'

// The progress of a campaign: a progress bar on a terminal, otherwise a line every ten seconds.

export type Progress = { readonly begin: () => void; readonly end: () => void }

// The interval between lines, in seconds.
const interval = 10

/** Formats the faults at a moment. */
const describe = (faults: readonly Fault[], nodes: readonly string[], ms: number): string =>
  faults
    .filter(({ from, until }) => from <= ms && until > ms)
    .map(({ kind, nodes: hit, processes }) => {
      const names = hit.length > 0 ? hit.map((index) => nodes[index]!) : processes
      return `${kind} (${names.join()})`
    })
    .join(', ') || 'no fault'

export const makeProgress = (options: {
  readonly seconds: number
  readonly faults: readonly Fault[]
  readonly nodes: readonly string[]
  readonly isQuiet: boolean
}): Progress => {
  const { seconds, faults, nodes, isQuiet } = options
  const bar = new SingleBar({
    format: '{bar} {value} of {total} s, {faults} faults; {now}',
    clearOnComplete: true,
    hideCursor: null,
    stream: process.stderr,
  })
  const hasBar = process.stderr.isTTY && !isQuiet
  let timer: NodeJS.Timeout | undefined
  return {
    begin: () => {
      const start = performance.now()
      if (hasBar) bar.start(seconds, 0, { faults: 0, now: '' })
      timer = setInterval(() => {
        const ms = performance.now() - start
        const passed = Math.min(seconds, Math.round(ms / 1000))
        const begun = faults.filter(({ from }) => from <= ms).length
        const now = describe(faults, nodes, ms)
        if (hasBar) bar.update(passed, { faults: begun, now })
        else if (!isQuiet && passed % interval === 0 && ms < 1000 * seconds) {
          console.error(`${passed} of ${seconds} s, ${begun} faults; ${now}`)
        }
      }, 1000)
    },
    end: () => {
      clearInterval(timer)
      if (hasBar) bar.stop()
    },
  }
}
