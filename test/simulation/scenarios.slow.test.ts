import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyWithPatches, type Patch, type PatchedCopy } from '../../tools/patch-copy.ts'
import { openPatched } from '../../verification/mutants/run.ts'
import {
  type ScenarioName,
  scenarioNames,
  scenarioOf,
} from '../../verification/simulation/scenarios/names.ts'

const slowSleep = {
  name: 'every sleep takes fifty times as long',
  file: 'src/util/clock.ts',
  find: 'clock.setTimer(end, delay)',
  replace: 'clock.setTimer(end, 50 * delay)',
}
const slowTimers = {
  name: 'every timer of a round takes fifty times as long',
  file: 'src/core/drive.ts',
  find: 'Math.max(minDelay, wakeAt - now)',
  replace: 'Math.max(minDelay, 50 * (wakeAt - now))',
}
const lateExtension = {
  name: 'an extension is due by the ttl, however much of the validity is left',
  file: 'src/core/lock/keep-alive.ts',
  find: 'Math.min(ttl / 3, expiresIn(state) - validity / 2)',
  replace: 'ttl / 3',
}
const shortFence = {
  name: 'a fence outlives only the time that an extension asks for',
  file: 'src/memory/run-lock.ts',
  find: 'life + fenceTtl)',
  replace: 'ttl + fenceTtl)',
}
const forgetfulNode = {
  name: 'a counter that has expired starts at 0',
  file: 'src/memory/run-lock.ts',
  find: 'Math.max(now - clockTolerance, Math.min(now + clockTolerance, wanted))',
  replace: '0',
}

const handledLate = {
  name: 'a rejection is handled a little too late',
  file: 'verification/simulation/history.ts',
  find: '  prepareServers(scenario)',
  // Node also warns of each.
  replace: `  process.removeAllListeners('warning')
  const late = Promise.reject(new Error('too late'))
  loop.after(5, () => void late.catch(() => {}))
  prepareServers(scenario)`,
}

const [histories, step] = [400, 50]

/** The checks that notice the patch, until this one does. */
const checksThatFail = async (
  patch: Patch,
  scenario: ScenarioName,
  wanted: string,
): Promise<string[]> => {
  const pool = await openPatched(patch)
  try {
    const checks: string[] = []
    for (let first = 1; first <= histories && !checks.includes(wanted); first += step) {
      const { failures } = await pool.run({ scenario, first, count: step, failures: step })
      checks.push(...failures.flatMap(({ violations }) => violations.map(({ check }) => check)))
    }
    return checks
  } finally {
    await pool.close()
  }
}

describe('the scenarios of npm run verify -- simulate', () => {
  it('mixes all of them but those of entries beside the core, and always draws the same one for a seed', () => {
    const drawn = Array.from({ length: 1_000 }, (_, seed) => scenarioOf('mixed', seed))
    const mixed = scenarioNames.filter(
      (name) => !['requests', 'once', 'slots', 'wake-up', 'force', 'stalls'].includes(name),
    )
    expect(new Set(drawn)).toEqual(new Set(mixed))
    expect(Array.from({ length: 1_000 }, (_, seed) => scenarioOf('mixed', seed))).toEqual(drawn)
    expect(scenarioOf('lines', 7)).toBe('lines')
  })

  it.each([
    ['sick-burst', 'latency', slowTimers],
    ['regions', 'latency', slowTimers],
    ['lines', 'free lock', slowSleep],
    ['holders', 'lost', lateExtension],
    ['expiry', 'fence', shortFence],
    ['expiry', 'counter', forgetfulNode],
    ['faults', 'unhandled', handledLate],
  ] as const)('notices in %s a violation of %s', async (scenario, check, patch) => {
    expect(await checksThatFail(patch, scenario, check)).toContain(check)
  })
})

describe('a failure', () => {
  let copy: PatchedCopy
  beforeAll(async () => {
    copy = await copyWithPatches({
      folders: ['src', 'tools', 'verification/history', 'verification/simulation'],
      patches: [lateExtension],
      prefix: '.mutant-scenario-',
    })
  })
  afterAll(() => copy.remove())

  const simulate = (args: readonly string[]) =>
    execa(process.execPath, [join('verification', 'simulation', 'main.ts'), ...args], {
      cwd: copy.directory,
      reject: false,
    })

  it('is printed with the command that replays it', async () => {
    const { stdout, exitCode } = await simulate(['--scenario', 'holders', '--histories', '200'])
    expect(exitCode).toBe(1)
    const [, text, replay] = /^lost \(holders\): (.*)\n {2}npm run verify -- simulate (.*)$/m.exec(
      stdout,
    )!
    expect(replay).toMatch(/^--scenario holders --seed \d+ --histories 1 --trace$/)
    const replayed = await simulate(replay!.split(' '))
    expect(replayed.exitCode).toBe(1)
    expect(replayed.stdout).toContain(`VIOLATION of lost: ${text}`)
  })
})
