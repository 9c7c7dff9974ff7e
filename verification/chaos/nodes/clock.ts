import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { ensureTools } from '../../../tools/release/ensure-tools.ts'

// The clock of a Redis server that can be put on and back while it runs, by libfaketime. Its
// monotonic clock goes on as ever, as where an administrator or NTP steps the time of a machine.

export type Clock = {
  /** What the server is to be started with. */
  readonly env: Readonly<Record<string, string>>
  /** Puts it so many ms ahead of ours, or behind. */
  readonly set: (ms: number) => void
  /** Removes what libfaketime leaves behind of a server that was killed. */
  readonly forget: (pid: number) => void
}

const advice = `that takes faketime on PATH (Debian, Ubuntu: sudo apt-get install faketime)`

/** The library, installed first where that is ours to do. @throws where it cannot be had. */
export const findClockLibrary = async (): Promise<string> => {
  const [file] = await ensureTools([{ names: ['faketime'], packages: ['faketime'] }], advice)
  const { stdout } = await execa(file!, ['-f', '+0s', 'printenv', 'LD_PRELOAD'])
  return stdout.trim()
}

/** A clock that is told by a file. */
export const makeClock = (library: string, file: string): Clock => {
  const set = (ms: number): void => {
    const next = `${file}.next`
    writeFileSync(next, `${ms < 0 ? '' : '+'}${ms / 1000}\n`)
    // At once: no one reads half of it.
    renameSync(next, file)
  }
  set(0)
  return {
    env: {
      // The memory of jemalloc, which Debian links servers with, asks for the time before libfaketime
      // is ready to tell it. That of libc does not.
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
