import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { pageOf } from './page-of.ts'
import type { Manifest } from './package-problems.ts'
import { withAbsoluteLinks, withoutLinks } from './readme-links.ts'

// `npm pack` packs the README unchanged. So `prepack` replaces its links with links that work outside of the repository,
// and `postpack` (--restore) reverts them.

const kept = '.readme-before-pack.md'
const packed = '.readme-to-pack.md'

// If an earlier pack was interrupted, restore its file first.
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
  // Replace the file atomically, because `npm run docs -- check` may be reading it.
  await rename(packed, 'README.md')
}
