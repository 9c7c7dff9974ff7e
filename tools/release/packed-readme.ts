import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { pageOf } from './page-of.ts'
import type { Manifest } from './package-problems.ts'
import { withAbsoluteLinks, withoutLinks } from './readme-links.ts'

// `npm pack` packs the README of the folder unchanged. So `prepack` gives it links that work outside the repository,
// and `postpack` (--restore) reverts them.

const kept = '.readme-before-pack.md'
const packed = '.readme-to-pack.md'

// A pack that was stopped has left this file behind.
if (existsSync(kept)) await rename(kept, 'README.md')
if (!process.argv.includes('--restore')) {
  const source = await readFile('README.md', 'utf8')
  const { repository, version } = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  await writeFile(kept, source)
  await writeFile(
    packed,
    repository?.url
      ? withAbsoluteLinks(source, pageOf(repository.url), `v${version}`)
      : withoutLinks(source),
  )
  // In one step, because `npm run docs -- check` may be reading it.
  await rename(packed, 'README.md')
}
