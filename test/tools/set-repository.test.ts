import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from '../../tools/release/package-problems.ts'
import { relativeLinks, withAbsoluteLinks } from '../../tools/release/readme-links.ts'

const command = fileURLToPath(new URL('../../tools/release/set-repository.ts', import.meta.url))
const page = 'https://github.com/owner/name'
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'set-repository-'))
  for (const file of ['package.json', 'README.md']) {
    await writeFile(join(directory, file), await readFile(file))
  }
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const run = (...args: string[]) =>
  execa(process.execPath, [command, ...args], { cwd: directory, reject: false })
const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8')

describe('npm run repository', () => {
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

  it('makes the links of the README absolute, to the tag', async () => {
    expect((await run(`git+${page}.git`, '--readme', 'v1.2.3')).exitCode).toBe(0)
    const readme = await read('README.md')
    expect(relativeLinks(readme)).toEqual([])
    expect(readme).toContain(`](${page}/blob/v1.2.3/docs/guarantees.md)`)
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
      expect(stderr).toContain('Expected the repository to be https://HOST/OWNER/NAME')
    },
  )
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
    expect(withAbsoluteLinks(text, page, 'v1')).toBe(
      [
        `[a](${page}/blob/v1/docs/a.md#part) [b](https://b.example) [c](#c) ![d](${page}/raw/v1/d.svg)`,
        ...text.split('\n').slice(1),
      ].join('\n'),
    )
  })
})
