import { readFile, writeFile } from 'node:fs/promises'

// Generates jsr.json from package.json: with the sources instead of the build, and without the command line. JSR has no
// types for `cloudflare:workers`, so the entry `durable-object` is available only on npm.

type Package = {
  readonly version: string
  readonly license: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

/** Creates the JSR configuration of the package. */
export const jsrOf = ({ version, license, exports }: Package): object => ({
  $schema: 'https://jsr.io/schema/config-file.v1.json',
  name: '@edge-redlock/edge-redlock',
  version,
  license,
  exports: Object.fromEntries(
    Object.entries(exports).flatMap(([entry, files]) =>
      typeof files === 'string' || entry === './durable-object'
        ? []
        : [[entry, files.default.replace('./dist/', './src/').replace(/\.js$/, '.ts')]],
    ),
  ),
  publish: {
    include: ['src/**/*.ts', 'README.md', 'LICENSE', 'CHANGELOG.md'],
    exclude: ['src/operations/cli', 'src/durable-object', 'src/entries/durable-object.ts'],
  },
})

if (import.meta.main) {
  const config = jsrOf(JSON.parse(await readFile('package.json', 'utf8')) as Package)
  await writeFile('jsr.json', `${JSON.stringify(config, undefined, 2)}\n`)
}
