import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

// TypeScript with `moduleResolution: node10` reads no `exports`. `npm run verify -- types` compiles such a project.

type Entry = { readonly types: string; readonly default: string }
type Manifest = {
  readonly main: string
  readonly types: string
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> }
  readonly exports: Readonly<Record<string, Entry | string>>
}

it('each entry of the package has its types for old resolution, too', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest
  const { '.': root, ...entries } = manifest.exports
  expect({ types: manifest.types, default: manifest.main }).toEqual(root)
  const wanted = Object.entries(entries).flatMap(([path, entry]) =>
    typeof entry === 'string' ? [] : [[path.slice(2), [entry.types]] as const],
  )
  expect(manifest.typesVersions['*']).toEqual(Object.fromEntries(wanted))
})
