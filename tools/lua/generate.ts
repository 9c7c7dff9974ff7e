import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { minify } from './minify.ts'

/** A generated module, with its path inside the project. */
export type GeneratedModule = { readonly file: string; readonly text: string }

/** `redis-guard` becomes `redisGuardScript`. */
const exportOf = (name: string): string =>
  `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Script`

const shaOf = (source: string): string => createHash('sha1').update(source).digest('hex')

const stepsOf = /^-- Include steps (\d+) and (\d+) of ([\w-]+\.lua):.*$/m

type Source = { readonly text: string; readonly beginning?: string; readonly included?: string }

/**
 * Replaces `-- Include steps` with the steps of another script in the folder. The two scripts then share that text,
 * so a bundle contains it only once.
 */
const withSteps = async (source: string, folder: string): Promise<Source> => {
  const [line, first, last, file] = stepsOf.exec(source) ?? []
  if (!line) return { text: source }
  const other = await readFile(join(folder, file!), 'utf8')
  const begin = other.indexOf(`-- Step ${first}:`)
  const end = other.indexOf(`-- Step ${Number(last) + 1}:`)
  if (begin < 0 || end < begin) throw new Error(`${file} has no steps ${first} and ${last}`)
  const included = other.slice(begin, end)
  const text = source.replace(line, () => included)
  return { text, beginning: other.slice(0, end), included }
}

const stepsFile = './steps.ts'

/** A script in the form in which the package contains it. */
type Minified = {
  readonly name: string
  readonly file: string
  readonly source: string
  readonly sha: string
  readonly text: string
  /** Whether the script starts with the steps of lock.lua. */
  readonly hasSteps: boolean
}

/** Throws if a template literal cannot contain the source unchanged. */
const checkLiteral = (name: string, source: string): void => {
  if (/[\\`$]/.test(source)) throw new Error(`${name}.lua cannot stand in a template literal`)
}

/** Creates a script and its module. `steps`: the text that the script shares with others, if any. */
const minified = (
  file: string,
  { text, beginning }: Source,
  typeFile: string,
  steps: string,
): Minified => {
  const name = basename(file, '-script.ts')
  const source = minify(text, beginning)
  checkLiteral(name, source)
  const hasSteps = steps !== '' && source.includes(steps)
  const sha = shaOf(source)
  const lines = [
    `// Generated from ${name}.lua by \`npm run generate\`. Change it there.`,
    `import type { Script } from '${typeFile}'`,
    ...(hasSteps ? [`import { steps } from '${stepsFile}'`] : []),
    '',
    `export const ${exportOf(name)}: Script = {`,
    `  sha: '${sha}',`,
    `  source: \`${hasSteps ? source.replace(steps, () => '${steps}') : source}\`,`,
    '}',
    '',
  ]
  return { name, file, source, sha, hasSteps, text: lines.join('\n') }
}

const commandFile = join('protocol', 'command.ts')
const preludeFile = join('redis', 'quarantine', 'quarantine.lua')

/** Creates the module with the prelude that a volatile node runs before each voting script. */
const preludeModule = async (
  root: string,
  scripts: readonly Minified[],
): Promise<GeneratedModule> => {
  const prelude = minify(await readFile(join(root, 'src', preludeFile), 'utf8'))
  checkLiteral('quarantine', prelude)
  const voting = scripts.filter(({ hasSteps }) => hasSteps)
  const text = [
    '// Generated from quarantine.lua by `npm run generate`. Change it there.',
    `export const prelude = \`${prelude}\``,
    '',
    '/** Maps the SHA-1 of each script to the SHA-1 of the prelude, a space and the script. */',
    'export const shasWithPrelude: ReadonlyMap<string, string> = new Map([',
    ...voting.map(({ sha, source }) => `  ['${sha}', '${shaOf(`${prelude} ${source}`)}'],`),
    '])',
    '',
  ].join('\n')
  return { file: join('src', 'redis', 'quarantine', 'prelude.ts'), text }
}

const scriptsFolder = join('redis', 'scripts')

/** The files whose types a Worker and its Durable Objects exchange. */
const typesOnTheWire = ['command.ts', 'reply.ts']

/** The file with the types of a report. Its functions do not run in a Durable Object. */
const reportFile = 'check-reply.ts'
const exportedTypes = /^export type .*?^[}\]]$/gms

/** Removes comments from a source file, and collapses white space. */
const codeOf = (source: string): string =>
  source.replace(/\/\*.*?\*\/|\/\/.*$/gms, '').replace(/\s+/g, ' ')

/**
 * Creates the module with the version of the commands. During a deployment, a Worker and its objects can briefly run
 * different versions. The two are compatible if the scripts and the types of commands and replies are equal.
 */
const versionModule = async (
  root: string,
  scripts: readonly Minified[],
): Promise<GeneratedModule> => {
  const protocol = join(root, 'src', 'protocol')
  const read = (file: string): Promise<string> => readFile(join(protocol, file), 'utf8')
  const report = (await read(reportFile)).match(exportedTypes)!.join('\n')
  const code = [...(await Promise.all(typesOnTheWire.map(read))), report].map(codeOf)
  const shas = scripts
    .filter(({ file }) => file.startsWith(join('src', scriptsFolder)))
    .map(({ sha }) => sha)
  const version = shaOf([...shas, ...code].join('\n')).slice(0, 12)
  const text = [
    '// Generated by `npm run generate` from the scripts, and from the types of commands and replies.',
    '/** Identifies the meaning and the form of commands, for nodes that are deployed separately from their clients. */',
    `export const commandVersion = '${version}'`,
    '',
  ].join('\n')
  return { file: join('src', 'protocol', 'command-version.ts'), text }
}

/** Generates the modules for the Lua files of a project: `lock.lua` becomes `lock-script.ts`. */
export const generateScripts = async (root: string): Promise<GeneratedModule[]> => {
  const found = await readdir(join(root, 'src'), { recursive: true })
  const files = found.filter((file) => file.endsWith('.lua') && file !== preludeFile).sort()
  const sources = await Promise.all(
    files.map(async (name) => {
      const own = await readFile(join(root, 'src', name), 'utf8')
      return { name, source: await withSteps(own, dirname(join(root, 'src', name))) }
    }),
  )
  const shared = sources.find(({ source }) => source.included)?.source
  const steps = shared ? minify(shared.included!, shared.beginning) : ''
  const scripts = sources.map(({ name, source }): Minified => {
    const typeFile = relative(dirname(name), join('protocol', 'script.ts'))
    const file = join('src', name.replace(/\.lua$/, '-script.ts'))
    return minified(file, source, typeFile, name.startsWith(scriptsFolder) ? steps : '')
  })
  const modules: GeneratedModule[] = scripts.map(({ file, text }) => ({ file, text }))
  const text = [
    '// Generated by `npm run generate`: the steps of lock.lua with which other scripts begin.',
    `export const steps = \`${steps}\``,
    '',
  ].join('\n')
  const stepsModule = { file: join('src', scriptsFolder, stepsFile), text }
  return [
    ...modules,
    ...(shared ? [stepsModule] : []),
    ...(found.includes(preludeFile) ? [await preludeModule(root, scripts)] : []),
    ...(found.includes(commandFile) ? [await versionModule(root, scripts)] : []),
  ]
}

/** Writes the modules of {@link generateScripts}. */
export const writeScripts = async (root: string): Promise<GeneratedModule[]> => {
  const modules = await generateScripts(root)
  for (const { file, text } of modules) await writeFile(join(root, file), text)
  return modules
}
