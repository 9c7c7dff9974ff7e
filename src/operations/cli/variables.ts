import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseEnv } from 'node:util'

/** Environment variables, and where they were found. */
export type Variables = {
  readonly source: string
  readonly env: Readonly<Record<string, string | undefined>>
}

// Wrangler reads `.dev.vars`, or `.env` if that is missing; Next.js reads `.env.local` before `.env`.
const files = ['.dev.vars', '.env.local', '.env']

const names =
  /^(?:REDLOCK_NODES|(?:UPSTASH_REDIS_REST|(?:\w+_)?KV_REST_API)_(?:URL|TOKEN)(?:_\d+)?)$/

const hasNodes = (env: Variables['env']): boolean =>
  Object.entries(env).some(([name, value]) => names.test(name) && value)

const nodesLine = /^[ \t]*(?:export[ \t]+)?REDLOCK_NODES[ \t]*=[ \t]*"?(\[.*\])/gm

/**
 * The list in the last line that sets `REDLOCK_NODES`. `vercel env pull` puts JSON into double quotes without escaping
 * the quotes in it, and `parseEnv` ends the value at the second quote. Other parsers take the whole line.
 */
const listInLine = (text: string): string | undefined => [...text.matchAll(nodesLine)].at(-1)?.[1]

/** Whether a value of an env file is the beginning of a list in double quotes that contains double quotes. */
const isCut = (value: string | undefined): boolean => /^\s*\[\s*\{?\s*\\?$/.test(value ?? '')

/** Reads an env file; undefined if it does not exist. */
const readEnvFile = (file: string): Variables['env'] | undefined => {
  let text: string
  try {
    // On Windows, the file may begin with a byte order mark, which would become a part of the first name.
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
 * The variables that name nodes. They come from the given file, or else from the environment, `.dev.vars`,
 * `.env.local` or `.env`. Only one of these is used, since no app has a lock with nodes from two of them.
 *
 * @throws if there are none.
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
    `No nodes found. Set REDLOCK_NODES, or UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, in the environment, in ${files.join(' or in ')}; or name another file with --from.`,
  )
}
