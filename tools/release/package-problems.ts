/** The fields of a package.json that determine the effects of installing the package. */
export type Manifest = {
  readonly name?: string
  readonly version?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: object
  readonly optionalDependencies?: object
  readonly bundleDependencies?: unknown
  readonly peerDependencies?: object
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly bin?: Readonly<Record<string, string>>
  readonly license?: string
  readonly homepage?: string
  readonly bugs?: { readonly url?: string }
  readonly repository?: { readonly url?: string }
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean }
}

// Scripts that npm runs when the package is installed, some of them only from a git URL. `prepack` is allowed: in a
// fresh clone, it builds the files for `npm pack`.
const installScripts =
  'preinstall install postinstall preprepare prepare postprepare prepublish'.split(' ')

const allowed =
  /^(?:dist\/.+\.(?:js|d\.ts)|skills\/[\w-]+\/SKILL\.md|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/
const required = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'package.json',
  'dist/index.js',
  'dist/index.d.ts',
]

const isEmpty = (entries: unknown): boolean => Object.keys(Object(entries)).length === 0

/**
 * Finds problems of a package. Installing it must not run code or install other packages. It must contain exactly the
 * necessary files, and npm must be able to attest where it was built.
 *
 * @param files - The files that `npm pack` includes.
 * @param repository - The repository that publishes the package. If undefined, the repository is not checked.
 * @param links - The links in the packed README that need files of the repository.
 * @see {@link https://docs.npmjs.com/generating-provenance-statements}
 */
export const problemsOf = (
  manifest: Manifest,
  files: readonly string[],
  repository?: string,
  links: readonly string[] = [],
): string[] => {
  const {
    scripts = {},
    bin = {},
    peerDependencies,
    peerDependenciesMeta = {},
    publishConfig,
  } = manifest
  const problems = [
    ...installScripts
      .filter((name) => name in scripts)
      .map((name) => `it has a script \`${name}\``),
    ...(['dependencies', 'optionalDependencies', 'bundleDependencies'] as const)
      .filter((field) => !isEmpty(manifest[field]))
      .map((field) => `it has ${field}`),
    ...Object.keys(Object(peerDependencies))
      .filter((name) => peerDependenciesMeta[name]?.optional !== true)
      .map((name) => `its peer ${name} is not optional`),
    ...files.filter((file) => !allowed.test(file)).map((file) => `it contains ${file}`),
    ...[...required, ...Object.values(bin)]
      .filter((file) => !files.includes(file))
      .map((file) => `it lacks ${file}`),
  ]
  if (publishConfig?.access !== 'public') problems.push('publishConfig.access is not public')
  if (publishConfig?.provenance !== true) problems.push('publishConfig.provenance is not true')
  if (!manifest.license) problems.push('it has no license')
  const url = manifest.repository?.url
  if (repository !== undefined && url !== repository) {
    problems.push(`repository.url is ${url ?? 'missing'}, and it is published from ${repository}`)
  }
  // Only a package that is about to be published needs the fields that registries display.
  if (repository !== undefined) {
    if (!manifest.homepage) problems.push('it has no homepage')
    if (!manifest.bugs?.url) problems.push('bugs.url is missing')
  }
  if (links.length > 0) problems.push(`its README has relative links, such as ${links[0]}`)
  return problems
}
