import { parseArgs } from 'node:util'

// Each command accepts some of these options.
const options = {
  from: { type: 'string' },
  // An alias of `from`. Node handles an option of this name, too: it reads the file, and exits if the file is missing.
  'env-file': { type: 'string' },
  prefix: { type: 'string' },
  'max-ttl': { type: 'string' },
  'node-timeout': { type: 'string' },
  kind: { type: 'string' },
  limit: { type: 'string' },
  id: { type: 'string' },
  interval: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

type Option = keyof typeof options

/** The options that select the nodes, and configure the requests to them. */
export const clientOptions = ['env-file', 'prefix', 'node-timeout', 'json', 'from'] as const

/** The arguments of a command. */
export type Arguments = {
  /** The arguments that are neither options nor URLs. */
  readonly words: readonly string[]
  /** The `redis://` URLs of nodes. */
  readonly urls: readonly string[]
  readonly from: string | undefined
  readonly prefix: string | undefined
  readonly maxTtl: number | undefined
  readonly nodeTimeout: number | undefined
  readonly kind: string | undefined
  readonly limit: number | undefined
  readonly id: string | undefined
  readonly interval: number | undefined
  readonly json: boolean
}

const wholeNumber = (option: string, text: string | undefined, unit = ''): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) {
    throw new Error(`--${option} must be a whole number${unit}; got ${JSON.stringify(text)}`)
  }
  return Number(text)
}

const milliseconds = (option: string, text: string | undefined): number | undefined =>
  wholeNumber(option, text, ' of ms')

/** @throws if an option is unknown or invalid. */
export const parseArguments = (args: readonly string[], known: readonly Option[]): Arguments => {
  const own = Object.fromEntries(known.map((name) => [name, options[name]]))
  const parsed = parseArgs({ args: [...args], options: own, allowPositionals: true })
  const isUrl = (word: string): boolean => /^rediss?:\/\//i.test(word)
  const values = parsed.values as Partial<Record<Option, string>>
  return {
    words: parsed.positionals.filter((word) => !isUrl(word)),
    urls: parsed.positionals.filter(isUrl),
    from: values.from ?? values['env-file'],
    prefix: values.prefix,
    maxTtl: milliseconds('max-ttl', values['max-ttl']),
    nodeTimeout: milliseconds('node-timeout', values['node-timeout']),
    kind: values.kind,
    limit: wholeNumber('limit', values.limit),
    id: values.id,
    interval: milliseconds('interval', values.interval),
    json: Boolean(values.json),
  }
}

/** The key of a command that requires exactly one. */
export const keyOf = (command: string, { words }: Arguments): string => {
  const [key, ...more] = words
  if (!key || more.length > 0) throw new Error(`Expected one key: edge-redlock ${command} KEY`)
  return key
}
