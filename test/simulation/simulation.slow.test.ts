import { resolve } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { copyWithPatches, type Patch } from '../../tools/patch-copy.ts'
import { mutants } from '../../verification/mutants/list.ts'
import { tryMutant } from '../../verification/mutants/run.ts'
import { expectedCoverage } from '../../verification/simulation/checks/coverage.ts'

const root = resolve(import.meta.dirname, '../..')
const simulate = (...args: string[]) =>
  execa(process.execPath, ['verification/simulation/main.ts', ...args], {
    cwd: root,
    reject: false,
    all: true,
  })

describe('npm run verify -- simulate', () => {
  it('prints the same history for the same seed', async () => {
    const runs = await Promise.all([1, 2].map(() => simulate('--seed', '577', '--trace')))
    expect(runs[0]!.exitCode).toBe(0)
    expect(runs[0]!.stdout.split('\n').length).toBeGreaterThan(20)
    expect(runs[0]!.stdout).toContain('acquire')
    expect(runs[1]!.stdout).toBe(runs[0]!.stdout)
  })

  it('runs histories without a violation, and reports their coverage', async () => {
    const { stdout, exitCode } = await simulate('--histories', '600', '--json')
    expect(exitCode).toBe(0)
    const { histories, failures, coverage } = JSON.parse(stdout)
    expect({ histories, failures }).toEqual({ histories: 600, failures: [] })
    expect(Object.keys(coverage).length).toBeGreaterThan(expectedCoverage('mixed').length / 2)
    const text = await simulate('--histories', '200', '--seed', '1000')
    expect(text.all).toMatch(
      /^Simulation: 200 histories from seed 1000, 0 violated, 0 of [\d,]+ bursts without a winner, [\d,]+ histories\/s per core\.$/m,
    )
    expect(text.stdout).toMatch(/all with 99\.99 % +.* 0 .*100\.000 % .*99\.99 %/)
  })

  it('draws a seed for `--seed fresh`, and prints it', async () => {
    const runs = await Promise.all(
      [1, 2].map(() => simulate('--histories', '20', '--seed', 'fresh')),
    )
    const seeds = runs.map(
      ({ stdout }) => /20 histories from seed (\d+), 0 violated/.exec(stdout)?.[1],
    )
    expect(Number(seeds[0])).toBeGreaterThan(0)
    expect(seeds[1]).not.toBe(seeds[0])
  })

  it('rejects an option that is no number', async () => {
    const { exitCode, all } = await simulate('--histories', 'many')
    expect(exitCode).toBe(1)
    expect(all).toContain('whole number from 1')
  })
})

describe('npm run verify -- golden', () => {
  const goldenIn = async (cwd: string, ...args: string[]): Promise<string> => {
    const { stdout } = await execa(
      process.execPath,
      ['verification/simulation/golden.ts', ...args, '--json'],
      { cwd },
    )
    return (JSON.parse(stdout) as { hash: string }).hash
  }
  const golden = (...args: string[]): Promise<string> => goldenIn(root, ...args)
  const goldenWith = async (patch: Patch): Promise<string> => {
    const folders = ['src', 'tools', 'verification/simulation', 'verification/history']
    const copy = await copyWithPatches({ folders, patches: [patch], prefix: '.mutant-golden-' })
    try {
      return await goldenIn(copy.directory, '--histories', '250')
    } finally {
      await copy.remove()
    }
  }

  it('gives the same hash for the same histories, and another one for others', async () => {
    const [first, again, other] = await Promise.all([
      golden('--histories', '250'),
      golden('--histories', '250'),
      golden('--histories', '250', '--seed', '2'),
    ])
    expect(first).toMatch(/^[\da-f]{64}$/)
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  it('stays the same if an async function is extracted, and changes without a safeguard', async () => {
    const extracted = {
      name: 'an async function of its own runs the round',
      file: 'src/core/call.ts',
      find: 'await this.#askNodes()',
      replace: `await (async () => {
          await undefined
          return await this.#askNodes()
        })()`,
    }
    const unsafe = {
      name: 'validity not checked after an acquire',
      file: 'src/core/round.ts',
      find: "decided === 'acquired' && this.#age >= validity",
      replace: 'false',
    }
    const [hash, sameHash, otherHash] = await Promise.all([
      golden('--histories', '250'),
      goldenWith(extracted),
      goldenWith(unsafe),
    ])
    expect(sameHash).toBe(hash)
    expect(otherHash).not.toBe(hash)
  })
})

describe('npm run verify -- mutants', () => {
  const [mutant] = mutants

  it('detects a missing safeguard', async () => {
    const { seed, check } = await tryMutant(mutant!, 500)
    expect(check).toBe('quorum')
    expect(seed).toBeGreaterThan(0)
  })

  it('notices that fewer bursts have a winner than is promised', async () => {
    const patch = {
      name: 'every second burst counts as lost',
      file: 'verification/simulation/checks/burst-checks.ts',
      find: 'winners < minWinners',
      replace: 'loop.random.chance(0.5)',
      scenario: 'sick-burst',
    } as const
    const fate = await tryMutant(patch, 100)
    expect(fate).toMatchObject({ check: 'winners', histories: 100 })
    expect(fate.text).toMatch(/: \d+ of \d+ bursts without a winner$/)
  })

  it('rejects a mutant whose text is not in the sources', async () => {
    const outdated = { ...mutant!, find: 'what was there once' }
    await expect(tryMutant(outdated, 500)).rejects.toThrow('found 0 times')
  })
})
