import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { minify } from './minify.ts'

/** A generated module, with its path inside the project. */
export type GeneratedModule = { readonly file: string; readonly text: string }

/** `redis-guard` becomes `redisGuardScript`. */
const exportOf = (name: string): string =>
  `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Script`

const shaOf = (source: string): string => createHash('sha1').update(source).digest('hex')

// Upstash then locks only the keys of the call, instead of the whole database.
const keyLocking = '#!lua flags=allow-key-locking'

/** The same script with the first line that asks for key locking. */
const keyLockingScript = (name: string, short: string): string[] => [
  `export const keyLocking${exportOf(`-${name}`)}: Script = {`,
  `  sha: '${shaOf(`${keyLocking}\n${short}`)}',`,
  `  source: \`${keyLocking}\\n\${${exportOf(name)}.source}\`,`,
  '}',
  '',
]

const stepsOf = /^-- Include steps (\d+) to (\d+) of ([\w-]+\.lua):.*$/m

type Source = { readonly text: string; readonly beginning?: string }

/**
 * Puts the steps of another script of the folder where a script asks for them by `-- Include steps`. The two
 * then share long texts, which compress well.
 */
const withSteps = async (source: string, folder: string): Promise<Source> => {
  const [line, first, last, file] = stepsOf.exec(source) ?? []
  if (!line) return { text: source }
  const other = await readFile(join(folder, file!), 'utf8')
  const begin = other.indexOf(`-- Step ${first}:`)
  const end = other.indexOf(`-- Step ${Number(last) + 1}:`)
  if (begin < 0 || end < begin) throw new Error(`${file} has no steps ${first} to ${last}`)
  const text = source.replace(line, () => other.slice(begin, end))
  return { text, beginning: other.slice(0, end) }
}

// The scripts that Upstash may run while it locks only their keys.
const keyLocked = new Set(['lock', 'record', 'slot', 'wait', 'waking-release'])

const moduleOf = (name: string, { text, beginning }: Source, typeFile: string): string => {
  const short = minify(text, beginning)
  if (/[\\`$]/.test(short)) throw new Error(`${name}.lua cannot stand in a template literal`)
  const sha = shaOf(short)
  return [
    `// Generated from ${name}.lua by \`npm run generate\`. Change it there.`,
    `import type { Script } from '${typeFile}'`,
    '',
    `export const ${exportOf(name)}: Script = {`,
    `  sha: '${sha}',`,
    `  source: \`${short}\`,`,
    '}',
    '',
    ...(keyLocked.has(name) ? keyLockingScript(name, short) : []),
  ].join('\n')
}

/** The modules that belong to the Lua files of a project: `lock.lua` becomes `lock-script.ts`. */
export const generateScripts = async (root: string): Promise<GeneratedModule[]> => {
  const files = (await readdir(join(root, 'src'), { recursive: true }))
    .filter((file) => file.endsWith('.lua'))
    .sort()
  return Promise.all(
    files.map(async (name) => {
      const file = join('src', name)
      const typeFile = name.startsWith('protocol') ? './script.ts' : '../protocol/script.ts'
      const own = await readFile(join(root, file), 'utf8')
      const source = await withSteps(own, dirname(join(root, file)))
      return {
        file: file.replace(/\.lua$/, '-script.ts'),
        text: moduleOf(basename(name, '.lua'), source, typeFile),
      }
    }),
  )
}

/** Writes the modules of {@link generateScripts}. */
export const writeScripts = async (root: string): Promise<GeneratedModule[]> => {
  const modules = await generateScripts(root)
  for (const { file, text } of modules) await writeFile(join(root, file), text)
  return modules
}
