import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Option } from 'commander'
import { execa } from 'execa'
import { runCommand } from '../cli/command.ts'
import { type Manifest, problemsOf } from './package-problems.ts'
import { relativeLinks } from './readme-links.ts'

// Checks what installing the package would do to a machine, by what `npm pack` puts into it.

await runCommand<{ repository?: string }>(
  {
    name: 'node tools/release/package-check.ts',
    description: 'Check that the package installs nothing else, runs nothing, and can be attested',
    options: {
      repository: new Option(
        '--repository <url>',
        'where it is published from, which package.json must name too',
      ),
    },
  },
  async ({ repository }) => {
    const { stdout } = await execa('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'])
    // A list; in later versions of npm an object whose keys are package names.
    const [packed] = Object.values(JSON.parse(stdout) as { files: { path: string }[] }[])
    const files = packed!.files.map(({ path }) => path)
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
    const links = relativeLinks(await readFile('README.md', 'utf8'))
    const missing = links.filter((path) => !existsSync(path))
    const problems = [
      ...problemsOf(manifest, files, repository, links),
      ...missing.map((path) => `its README links to ${path}, which does not exist`),
    ]
    const isMet = problems.length === 0
    const verdict = isMet ? 'right' : `${problems.length} things wrong`
    const from = manifest.repository?.url ?? 'not in package.json; the publish workflow sets it'
    return {
      isMet,
      json: { isMet, problems, files, repository: manifest.repository },
      lines: [
        ...problems.map((problem) => `The package is wrong: ${problem}`),
        `Package: ${files.length} files, no install scripts, no dependencies: ${verdict}. Repository: ${from}.`,
      ],
    }
  },
)
