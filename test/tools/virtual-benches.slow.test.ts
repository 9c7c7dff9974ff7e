import { execa } from 'execa'
import { expect, it } from 'vitest'

/** Runs a bench in virtual time in a process of its own. */
const runBench = (name: string, args: readonly string[]) =>
  execa(process.execPath, [`bench/${name}/main.ts`, ...args], { reject: false })

const small = ['--bursts', '3', '--sick-bursts', '2', '--sizes', '2,3', '--worlds', '1']

it.each([
  ['virtual', small],
  ['regions', ['--bursts', '3']],
])(
  'bench:%s prints the same figures in every run, and others with another seed',
  async (name, args) => {
    const [first, second, other] = await Promise.all([
      runBench(name, [...args, '--json']),
      runBench(name, [...args, '--json']),
      runBench(name, [...args, '--json', '--seed', '2']),
    ])
    expect(JSON.parse(first.stdout)).toHaveProperty('isMet')
    expect(second.stdout).toBe(first.stdout)
    expect(other.stdout).not.toBe(first.stdout)
  },
  60_000,
)
