import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { execa } from 'execa'
import { directory, type Name, pathOf } from './results.ts'

/** The options of each bench. */
type Sizes = { readonly [name in Name]: string }

// Large enough for the targets, and for figures that vary little.
const full: Sizes = {
  latency: '--acquires 120',
  contention: '--bursts 1000 --rival-bursts 100 --seconds 20',
  sick: '--bursts 200 --rival-bursts 10',
  regions: '--bursts 200',
  http: '--seconds 5 --rounds 5',
  cpu: '--seconds 1 --repeat 7',
  requests: '--cycles 10',
  footprint: '--samples 500',
}
// Just enough to check that everything works.
const quick: Sizes = {
  latency: '--acquires 10',
  contention: '--bursts 5 --rival-bursts 5 --waiters 20 --turns 1 --handing-on 1 --seconds 5',
  sick: '--bursts 3 --rival-bursts 2 --sizes 2,5',
  regions: '--bursts 10',
  http: '--seconds 1 --rounds 1',
  cpu: '--seconds 1 --repeat 3 --locks 1000',
  requests: '--cycles 2',
  footprint: '--samples 100',
}

/** Runs a bench and saves its output, even if it misses a target. */
export const measure = async (name: Name, isQuick: boolean): Promise<void> => {
  const size = (isQuick ? quick : full)[name]
  const args = ['run', '--silent', 'bench', '--', name, '--json', ...size.split(' ')]
  const { stdout, stderr } = await execa('npm', args, { reject: false })
  const last = stdout.trim().split('\n').at(-1) ?? ''
  if (!last.startsWith('{'))
    throw new Error(`the bench ${name} printed no result: ${stderr || stdout}`)
  const cores = cpus()
  const saved = {
    machine: `${cores.length} cores of ${cores[0]!.model.trim()}, Node ${process.versions.node}`,
    command: `npm run bench -- ${name} ${size}`,
    result: JSON.parse(last) as unknown,
  }
  await mkdir(directory, { recursive: true })
  await writeFile(pathOf(name), `${JSON.stringify(saved)}\n`)
}
