import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'

// In a fresh clone there is no build, and `npm pack` is what the README says.
it('npm pack builds what it packs', async () => {
  const clone = await mkdtemp(join(tmpdir(), 'edge-redlock-pack-'))
  onTestFinished(() => rm(clone, { recursive: true }))
  const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'src', 'tools']
  const configs = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.node.json']
  for (const file of [...files, ...configs]) {
    await cp(file, join(clone, file), { recursive: true })
  }
  await symlink(join(process.cwd(), 'node_modules'), join(clone, 'node_modules'))
  const { stdout } = await execa('npm', ['pack', '--json', '--loglevel=error'], { cwd: clone })
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const paths = packed.files.map(({ path }) => path)
  for (const path of [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/entries/hono.js',
    'dist/operations/cli/main.js',
  ]) {
    expect(paths).toContain(path)
  }
})
