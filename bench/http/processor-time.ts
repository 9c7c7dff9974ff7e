import { readFile } from 'node:fs/promises'
import { execa } from 'execa'

// Linux counts the time of a process in ticks.
const ticksPerSecond = async (): Promise<number> =>
  Number((await execa('getconf', ['CLK_TCK'])).stdout)

/** Reads the CPU seconds of a process from /proc; undefined on systems without it. */
export const processorTime = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name of the process, in parentheses, may contain spaces. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / (await ticksPerSecond())
}
