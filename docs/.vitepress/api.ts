import { readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Application, type DeclarationReflection, ReflectionKind } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

// Writes a page for every public entry of the package from its docstrings, into docs/api. Fails where
// an exported function or class has no example.

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = `${root}docs/api`
const manifest = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as {
  exports: Record<string, { default?: string }>
}
/** The sources of all entries of the package. */
const entryPoints = Object.values(manifest.exports).flatMap(({ default: built }) =>
  built ? [built.replace('./dist/', `${root}src/`).replace(/js$/, 'ts')] : [],
)

const pages: Partial<PluginOptions> = {
  indexFormat: 'table',
  entryFileName: 'index',
  hidePageHeader: true,
  // The name alone, below the entry to import it from.
  pageTitleTemplates: { member: '{name}' },
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideModifiers: true },
}
const app = await Application.bootstrapWithPlugins({
  entryPoints,
  tsconfig: `${root}tsconfig.json`,
  plugin: ['typedoc-plugin-markdown'],
  // A page for each export; the page of an entry lists them.
  router: 'member',
  outputs: [{ name: 'markdown', path: out }],
  name: 'API reference',
  readme: 'none',
  disableSources: true,
  excludeInternal: true,
  // What errors inherit from the runtime, such as `captureStackTrace`.
  excludeExternals: true,
  excludePrivate: true,
  excludeProtected: true,
  groupOrder: ['Classes', 'Functions', 'Variables', 'Interfaces', 'Type Aliases', '*', 'Errors'],
  treatWarningsAsErrors: true,
  logLevel: 'Warn',
  ...pages,
})
const project = await app.convert()
if (!project) throw new Error('TypeDoc could not read the sources')

const hasExample = ({ comment, signatures }: DeclarationReflection): boolean =>
  [comment, ...(signatures ?? []).map((signature) => signature.comment)].some((one) =>
    one?.getTag('@example'),
  )
const callable = project.getReflectionsByKind(ReflectionKind.Function | ReflectionKind.Class)
const lacking = callable
  .filter((one) => !hasExample(one as DeclarationReflection))
  .map((one) => one.getFullName())
if (lacking.length > 0) app.logger.error(`Without an @example: ${lacking.join(', ')}`)

await rm(out, { recursive: true, force: true })
await app.generateOutputs(project)
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
