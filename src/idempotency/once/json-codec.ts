import type { Codec } from './options.ts'

/** Whether a class defines methods or accessors, which JSON does not preserve. */
const hasBehaviour = (prototype: object): boolean =>
  Reflect.ownKeys(prototype).some((name) => name !== 'constructor')

/** The prototypes of a value, except the last: an `Object.prototype`, of which each realm has its own. */
const classesOf = (value: object): object[] => {
  const classes: object[] = []
  let prototype = Object.getPrototypeOf(value) as object | null
  for (; prototype; prototype = Object.getPrototypeOf(prototype) as object | null) {
    if (Object.getPrototypeOf(prototype) !== null) classes.push(prototype)
  }
  return classes
}

/**
 * Whether a value looks like the result of SvelteKit's `fail()`. SvelteKit recognizes that result only by its class,
 * which JSON does not preserve.
 */
const isActionFailure = (value: object): boolean => {
  const { status } = value as { status?: unknown }
  return Number(status) >= 400 && Object.keys(value).join() === 'status,data'
}

const article = (name: string): string => `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`

/** Describes a value that JSON cannot preserve, whatever its members are; undefined if JSON can preserve it. */
const lossOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${value}`
  if (['bigint', 'function', 'symbol'].includes(typeof value)) return `a ${typeof value}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const classes = classesOf(value)
  if (isActionFailure(value) && classes[0]) return 'what `fail()` returns'
  if (!classes.some(hasBehaviour)) return undefined
  return article(value.constructor.name || 'object of a class')
}

/**
 * Throws if JSON would not preserve a value, but return an empty object, a string or null instead.
 *
 * @param path - The position inside the run's value, for the message.
 */
const checkKept = (value: unknown, path: string, around: readonly object[]): void => {
  // The author of a `toJSON` method has decided what to preserve. Dates, URLs and decimals have one.
  if (typeof (Object(value) as { toJSON?: unknown }).toJSON === 'function') return
  const loss = lossOf(value)
  if (loss) {
    const isResponse = loss === 'a Response' && path === 'value'
    const remedy = isResponse ? 'return `await response.json()`' : 'return plain data'
    throw new TypeError(`JSON does not keep ${loss} (\`${path}\`): ${remedy}, or set \`codec\``)
  }
  // Do not follow a cycle: `JSON.stringify` throws for a value that contains itself.
  if (typeof value !== 'object' || value === null || around.includes(value)) return
  const inside = [...around, value]
  for (const [name, one] of Object.entries(value)) {
    checkKept(one, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, inside)
  }
}

/** The default codec: JSON. Undefined is encoded as zero bytes. */
export const jsonCodec: Codec<unknown> = {
  encode: (value) => {
    checkKept(value, 'value', [])
    const text: string | undefined = JSON.stringify(value)
    return new TextEncoder().encode(text ?? '')
  },
  decode: (bytes) => (bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined),
}
