import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseEnv } from 'node:util'

/** Environment variables and their source. */
export type Variables = {
  readonly source: string
  readonly env: Readonly<Record<string, string | undefined>>
}

// Wrangler reads `.dev.vars`, or `.env` if `.dev.vars` is missing. Next.js prefers `.env.local` to `.env`.
const files = ['.dev.vars', '.env.local', '.env']

const names =
  /^(?:REDLOCK_NODES|(?:UPSTASH_REDIS_REST|(?:\w+_)?KV_REST_API)_(?:URL|TOKEN)(?:_\d+)?)$/

const hasNodes = (env: Variables['env']): boolean =>
  Object.entries(env).some(([name, value]) => names.test(name) && value)

const nodesLine = /^[ \t]*(?:export[ \t]+)?REDLOCK_NODES[ \t]*=[ \t]*"?(\[.*\])/gm

/**
 * The list in the last line that sets `REDLOCK_NODES`. `vercel env pull` writes JSON in double quotes without escaping
 * the quotes inside it. `parseEnv` ends the value at the second quote, while other parsers read the whole line.
 */
const listInLine = (text: string): string | undefined => [...text.matchAll(nodesLine)].at(-1)?.[1]

/** Whether `parseEnv` has cut off a quoted list at a double quote inside it. */
const isCut = (value: string | undefined): boolean => /^\s*\[\s*\{?\s*\\?$/.test(value ?? '')

/** Reads an env file; undefined if it does not exist. */
const readEnvFile = (file: string): Variables['env'] | undefined => {
  let text: string
  try {
    // Remove a byte order mark, as some Windows editors write it: otherwise, it would become part of the first name.
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new Error(`Cannot read ${file}: ${(error as Error).message}`, { cause: error })
  }
  const env = parseEnv(text)
  const line = isCut(env['REDLOCK_NODES']) ? listInLine(text) : undefined
  return line ? { ...env, REDLOCK_NODES: line } : env
}

/**
 * Finds the variables that configure nodes. They come from the given file or, without one, from the first source that
 * has any: the environment, `.dev.vars`, `.env.local` or `.env`. Sources are not combined, because that would create a
 * lock that no app uses.
 *
 * @throws if no source has any.
 */
export const findVariables = (file: string | undefined): Variables => {
  if (file !== undefined) {
    const env = readEnvFile(file)
    if (!env)
      throw new Error(`Cannot read ${file.replace(/:\/\/.*/, '://...')}: there is no such file`)
    return { source: file, env }
  }
  if (hasNodes(process.env)) return { source: 'the environment', env: process.env }
  for (const source of files) {
    const env = readEnvFile(source)
    if (env && hasNodes(env)) return { source, env }
  }
  throw new Error(
    `No nodes found. Set REDLOCK_NODES, or UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, in the environment, ${files.join(', ')}, or a file that you name with --from.`,
  )
}
