import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from '../../tools/release/package-problems.ts'
import { relativeLinks, withAbsoluteLinks, withoutLinks } from '../../tools/release/readme-links.ts'

const command = fileURLToPath(new URL('../../tools/release/set-repository.ts', import.meta.url))
const packedReadme = fileURLToPath(new URL('../../tools/release/packed-readme.ts', import.meta.url))
const page = 'https://github.com/owner/name'
const example = 'examples/durable-objects'
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'set-repository-'))
  for (const file of ['package.json', 'README.md']) {
    await writeFile(join(directory, file), await readFile(file))
  }
  await cp(example, join(directory, example), { recursive: true })
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = (...args: string[]) =>
  execa(process.execPath, [command, ...args], { cwd: directory, reject: false })
const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8')

describe('npm run release -- repository', () => {
  it('sets repository, homepage and bugs, and leaves the README alone', async () => {
    expect((await run(page)).exitCode).toBe(0)
    const manifest = JSON.parse(await read('package.json')) as Manifest
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: `git+${page}.git` },
      homepage: `${page}#readme`,
      bugs: { url: `${page}/issues` },
    })
    expect(Object.keys(manifest).slice(0, 3)).toEqual(['name', 'version', 'description'])
    expect(await read('README.md')).toBe(await readFile('README.md', 'utf8'))
  })

  it('gives the example of Durable Objects its deploy button, and the package', async () => {
    await run(page)
    await run(page)
    const url = `https://deploy.workers.cloudflare.com/?url=${page}/tree/main/${example}`
    const readme = await read(`${example}/README.md`)
    expect(readme.split(`](${url})`)).toHaveLength(2)
    expect(readme).not.toContain('npm run release -- repository')
    const { version } = JSON.parse(await read('package.json')) as Manifest
    const { dependencies } = JSON.parse(await read(`${example}/package.json`)) as Manifest
    expect(dependencies).toMatchObject({ 'edge-redlock': `^${version}` })
  })

  it('keeps what package.json says already', async () => {
    await run('https://github.com/owner/first')
    await run(page)
    const { repository } = JSON.parse(await read('package.json')) as Manifest
    expect(repository?.url).toBe('git+https://github.com/owner/first.git')
  })

  it.each(['owner/name', 'http://github.com/owner/name', 'https://github.com', ''])(
    'rejects %j',
    async (url) => {
      const { exitCode, stderr } = await run(url)
      expect(exitCode).toBe(1)
      expect(stderr).toContain('The repository must be https://HOST/OWNER/NAME')
    },
  )
})

describe('the README of the packed file', () => {
  const pack = (...args: string[]) =>
    execa(process.execPath, [packedReadme, ...args], { cwd: directory })

  it('has the words of its links until the repository has a page', async () => {
    await pack()
    const readme = await read('README.md')
    expect(relativeLinks(readme)).toEqual([])
    expect(readme).toContain('See all conditions')
    expect(readme).toContain('*Requests A and B ask three Redis servers')
  })

  it('links to the files of its version, once it has', async () => {
    await run(page)
    await pack()
    const { version } = JSON.parse(await read('package.json')) as Manifest
    const readme = await read('README.md')
    expect(relativeLinks(readme)).toEqual([])
    expect(readme).toContain(`](${page}/blob/v${version}/docs/understand/guarantees.md)`)
  })

  it('is taken back after the pack, and after one that was stopped', async () => {
    const before = await read('README.md')
    await pack()
    await pack()
    await pack('--restore')
    expect(await read('README.md')).toBe(before)
  })
})

describe('links of a README', () => {
  it('are changed outside code only, and only where they are relative', () => {
    const text = [
      '[a](docs/a.md#part) [b](https://b.example) [c](#c) ![d](d.svg)',
      '```ts',
      'const [a](b) = c',
      '```',
    ].join('\n')
    expect(relativeLinks(text)).toEqual(['docs/a.md', 'd.svg'])
    expect(withoutLinks(text)).toMatch(/^a \[b\]\(https:\/\/b\.example\) \[c\]\(#c\) \*d\*$/m)
    expect(withAbsoluteLinks(text, page, 'v1')).toBe(
      [
        `[a](${page}/blob/v1/docs/a.md#part) [b](https://b.example) [c](#c) ![d](${page}/raw/v1/d.svg)`,
        ...text.split('\n').slice(1),
      ].join('\n'),
    )
  })
})
