import { type Member, runFamily } from './family.ts'

// `npm run release`: the commands for a release. CONTRIBUTING.md describes the steps.

const members: readonly Member[] = [
  {
    name: 'version',
    description: 'turns the changesets into a version and its section of CHANGELOG.md',
    before: [
      ['changeset', 'version'],
      ['node', 'tools/release/jsr.ts'],
      ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    ],
    run: ['node', 'tools/release/lockfile.ts'],
  },
  {
    name: 'check',
    description:
      'packs the package: publint, are-the-types-wrong, no install scripts, no dependencies',
    takes: '--repository URL --json',
    run: ['node', 'tools/release/package-check.ts'],
  },
  {
    name: 'repository',
    description: 'sets the repository in package.json, once',
    takes: 'URL',
    run: ['node', 'tools/release/set-repository.ts'],
  },
  {
    name: 'lockfile',
    description: 'restores the binaries for other platforms, after npm install',
    run: ['node', 'tools/release/lockfile.ts'],
  },
]

await runFamily({ name: 'release', description: 'Prepare a release', members })
