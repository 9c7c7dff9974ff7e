import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { type Manifest, problemsOf } from '../../tools/release/package-problems.ts'

const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
const files = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'package.json',
  'dist/index.js',
  'dist/index.d.ts',
  'dist/operations/cli/main.js',
]

it('has no problems', () => {
  expect(problemsOf(manifest, files)).toEqual([])
})

it.each(['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])(
  'must not run %s',
  (name) => {
    const scripts = { ...manifest.scripts, [name]: 'node evil.js' }
    expect(problemsOf({ ...manifest, scripts }, files)).toEqual([`it has a script \`${name}\``])
  },
)

it.each(['dependencies', 'optionalDependencies', 'bundleDependencies'])(
  'must not have %s',
  (field) => {
    const more = { [field]: field.startsWith('bundle') ? ['a'] : { a: '1.0.0' } }
    expect(problemsOf({ ...manifest, ...more }, files)).toEqual([`it has ${field}`])
  },
)

it('has optional peers only', () => {
  const peerDependencies = { ...manifest.peerDependencies, other: '1' }
  expect(problemsOf({ ...manifest, peerDependencies }, files)).toEqual([
    'its peer other is not optional',
  ])
})

it.each(['src/index.ts', 'binding.gyp', '.env', 'dist/secret.pem', 'node_modules/a/index.js'])(
  'must not contain %s',
  (file) => {
    expect(problemsOf(manifest, [...files, file])).toEqual([`it contains ${file}`])
  },
)

it('must contain the required files', () => {
  expect(problemsOf(manifest, files.slice(1))).toEqual(['it lacks README.md'])
  expect(problemsOf(manifest, files.slice(0, -1))).toEqual(['it lacks dist/operations/cli/main.js'])
})

it('is published with provenance, from the repository that it names', () => {
  const { publishConfig: _, ...without } = manifest
  expect(problemsOf(without, files)).toEqual([
    'publishConfig.access is not public',
    'publishConfig.provenance is not true',
  ])
  const url = 'git+https://example.com/a/b.git'
  const own = {
    ...manifest,
    repository: { url },
    homepage: 'https://example.com/a/b#readme',
    bugs: { url: 'https://example.com/a/b/issues' },
  }
  expect(problemsOf(own, files, url)).toEqual([])
  const other = 'git+https://example.com/a/fork.git'
  expect(problemsOf(own, files, other)).toEqual([
    `repository.url is ${url}, and it is published from ${other}`,
  ])
  expect(problemsOf({ ...own, homepage: '', bugs: {} }, files, url)).toEqual([
    'it has no homepage',
    'bugs.url is missing',
  ])
})

it('has no links in its README to files that it does not contain', () => {
  expect(problemsOf(manifest, files, undefined, ['docs/edge.md'])).toEqual([
    'its README has relative links, such as docs/edge.md',
  ])
})

it('all workflows use actions that are pinned to a commit, and no secret', async () => {
  const files = await readdir('.github/workflows')
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) {
    const workflow = await readFile(`.github/workflows/${file}`, 'utf8')
    const actions = workflow.match(/uses: .*/g)!
    for (const action of actions) expect(action).toMatch(/@[\da-f]{40} # v\d+\.\d+\.\d+$/)
    expect(workflow).not.toMatch(/secrets|_TOKEN/)
    expect(workflow).toMatch(/^permissions:/m)
  }
})

it('is published by a job that runs no code of the project, and by another on JSR', async () => {
  const workflow = await readFile('.github/workflows/publish.yml', 'utf8')
  const [pack, publish, jsr] = workflow.split(/\n {2}(?:publish|jsr):/)
  // npm accepts the identity of its own environment alone.
  expect(pack).not.toContain('id-token')
  expect(publish).toMatch(/environment: npm[^]*id-token: write/)
  expect(publish).not.toMatch(/checkout|npm (?:ci|run|install)/)
  expect(jsr).toMatch(/environment: jsr[^]*id-token: write/)
})
