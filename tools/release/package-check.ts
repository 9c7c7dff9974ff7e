import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { execa } from 'execa'
import { reportFailure } from '../cli/report-failure.ts'
import { type Manifest, problemsOf } from './packed.ts'

// What installing the package would do to a machine, by what `npm pack` puts into it.

const { repository, json } = new Command('node tools/release/package-check.ts')
  .description('Check that the package installs nothing else, runs nothing, and can be attested')
  .option('--repository <url>', 'where it is published from, as package.json must have it')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<{ repository?: string; json?: true }>()

try {
  const { stdout } = await execa('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'])
  // A list, or by the name of the package in later versions of npm.
  const [packed] = Object.values(JSON.parse(stdout) as { files: { path: string }[] }[])
  const files = packed!.files.map(({ path }) => path)
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  const problems = problemsOf(manifest, files, repository)
  const isMet = problems.length === 0
  if (!isMet) process.exitCode = 1
  if (json) console.log(JSON.stringify({ isMet, problems, files, repository: manifest.repository }))
  else {
    for (const problem of problems) console.log(`The package is wrong: ${problem}`)
    const from = manifest.repository?.url ?? 'not in package.json; the publish workflow sets it'
    console.log(
      `Package: ${files.length} files, no install scripts, no dependencies: ${isMet ? 'right' : `${problems.length} things wrong`}. Repository: ${from}.`,
    )
  }
} catch (error) {
  reportFailure(error)
}
