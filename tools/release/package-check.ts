import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Option } from 'commander'
import { execa } from 'execa'
import { runCommand } from '../cli/command.ts'
import { type Manifest, problemsOf } from './package-problems.ts'
import { relativeLinks } from './readme-links.ts'

// Packs the package once, which also builds it. Then checks the tarball with publint and are-the-types-wrong, and checks
// that installing it has no side effects.

await runCommand<{ repository?: string }>(
  {
    name: 'npm run release -- check',
    description: 'Check that the package installs nothing else, runs nothing, and can be attested',
    options: {
      repository: new Option(
        '--repository <url>',
        'the repository that publishes it, which package.json must name',
      ),
    },
  },
  async ({ repository }) => {
    const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-package-'))
    await execa('npm', ['pack', '--pack-destination', directory])
    const [file] = await readdir(directory)
    const tarball = join(directory, file!)
    const quiet = { preferLocal: true, stdio: ['ignore', 2, 2] } as const
    await execa('publint', [tarball, '--strict'], quiet)
    await execa('attw', [tarball, '--profile', 'esm-only', '--quiet'], quiet)
    await execa('tar', ['-xzf', tarball], { cwd: directory })
    const folder = join(directory, 'package')
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    const packedLinks = relativeLinks(await readFile(join(folder, 'README.md'), 'utf8'))
    await rm(directory, { recursive: true })
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
    const missing = relativeLinks(await readFile('README.md', 'utf8')).filter(
      (path) => !existsSync(path),
    )
    const problems = [
      ...problemsOf(manifest, files, repository, packedLinks),
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
