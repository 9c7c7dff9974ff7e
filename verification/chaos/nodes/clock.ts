import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { ensureTools } from '../../../tools/release/ensure-tools.ts'

// Steps the clock of a running Redis server with libfaketime. The monotonic clock is not affected, as when an
// administrator or NTP steps the clock of a machine.

export type Clock = {
  /** Environment variables for the server. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock this many ms ahead of the local clock. */
  readonly set: (ms: number) => void
  /** Removes the shared memory that libfaketime leaves behind after a kill. */
  readonly forget: (pid: number) => void
}

const advice = `that takes faketime on PATH (Debian, Ubuntu: sudo apt-get install faketime)`

/** Finds the library, or installs it if that is allowed. @throws if it is not available. */
export const findClockLibrary = async (): Promise<string> => {
  const [file] = await ensureTools([{ names: ['faketime'], packages: ['faketime'] }], advice)
  const { stdout } = await execa(file!, ['-f', '+0s', 'printenv', 'LD_PRELOAD'])
  return stdout.trim()
}

/** Creates a clock that libfaketime reads from a file. */
export const makeClock = (library: string, file: string): Clock => {
  const set = (ms: number): void => {
    const next = `${file}.next`
    writeFileSync(next, `${ms < 0 ? '' : '+'}${ms / 1000}\n`)
    // The rename is atomic, so that the server never reads an incomplete file.
    renameSync(next, file)
  }
  set(0)
  return {
    env: {
      // Use the libc allocator: Debian links Redis with jemalloc, which reads the time before libfaketime is ready.
      LD_PRELOAD: `${library}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    forget: (pid) => {
      for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) {
        rmSync(join('/dev/shm', name), { force: true })
      }
    },
  }
}
