import type { Warn } from './warn-once.ts'
import { coded } from './codes.ts'
import { RedlockError } from './redlock-error.ts'

/** Describes a wrong value for a message. Strings are never shown, because one could be a token in the wrong place. */
const kindOf = (got: unknown): string => {
  if (got === null) return 'null'
  if (got === '') return 'an empty string'
  if (Array.isArray(got)) return got.length > 0 ? 'an array' : 'an empty array'
  return typeof got
}

/**
 * Checks an argument before anything else happens. The message names the option and its valid values. It shows the
 * given value if that is a number and the option expects one; otherwise it describes the kind of value.
 *
 * @param kind - A description of the value, if its type is not descriptive enough.
 * @throws `RangeError` if the value is a number, but a different number is expected.
 * @throws `TypeError` if the value is wrong in any other way.
 */
export const assertOption: (
  fits: unknown,
  option: string,
  expected: string,
  got: unknown,
  kind?: string,
) => asserts fits = (fits, option, expected, got, kind = kindOf(got)) => {
  if (fits) return
  // If the option does not expect a number, the number could be a secret.
  const isNumber =
    typeof got === 'number' && /^(an? (number|integer)|at (most|least))/.test(expected)
  throw new (isNumber ? RangeError : TypeError)(
    coded('ERL01', `\`${option}\` must be ${expected}; got ${isNumber ? got : kind}`),
  )
}

/** Checks an object of options. */
export const checkObject: (
  option: string,
  expected: string,
  given: unknown,
) => asserts given is object = (option, expected, given) =>
  assertOption(
    typeof given === 'object' && given !== null && !Array.isArray(given),
    option,
    expected,
    given,
  )

/** Checks the value of one option. */
export type OptionCheck = (option: string, given: never) => void

/** The known options and their checks. An option that is undefined here is checked elsewhere. */
export type OptionChecks = Readonly<Record<string, OptionCheck | undefined>>

/**
 * Checks that the options of a call are an object that contains only known options, because a misspelled option would
 * have no effect. An undefined option counts as omitted.
 *
 * @param call - The name of the call or object that has the options, such as `acquire()`.
 * @param known - The names of the options, or their checks.
 * @returns the options that are set.
 * @throws `TypeError` or `RangeError`, which names the option.
 */
export const checkOptions = <T extends object>(
  call: string,
  given: T,
  known: string | OptionChecks,
): T => {
  checkObject('options', `an object in ${call}`, given)
  const left: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const names = typeof known === 'string' ? known.split(', ') : Object.keys(known)
    if (!names.includes(name)) {
      const list = names.join(', ')
      throw new TypeError(coded('ERL01', `Unknown option \`${name}\` of ${call}: ${list}`))
    }
    // If `known` is a string, this property is undefined, because no option has the name of a string method.
    ;(known as OptionChecks)[name]?.(name, value as never)
    left[name] = value
  }
  return left as T
}

const checkType =
  (type: string) =>
  (option: string, given: unknown): void =>
    assertOption(typeof given === type, option, `a ${type}`, given)

export const checkBoolean: (option: string, given: unknown) => void = checkType('boolean')
export const checkFunction: (option: string, given: unknown) => void = checkType('function')

/** Returns a check for an option that accepts only these words. */
export const checkChoice =
  (...choices: readonly string[]) =>
  (option: string, given: string): void =>
    assertOption(choices.includes(given), option, `'${choices.join(`' or '`)}'`, given)

/** Checks the `strategy` of a call. */
export const checkStrategy: (option: string, given: string) => void = checkChoice(
  'parallel',
  'frugal',
)

// Every call runs the following checks, so they create their messages only if needed.

/** Checks a number. Infinity is allowed only if `max` is Infinity. */
export const checkNumber = (
  option: string,
  got: number,
  min: number,
  max: number = Infinity,
  kind: string = 'a number',
): void => {
  if (typeof got === 'number' && got >= min && got <= max) return
  assertOption(false, option, `${kind} from ${min} to ${max}`, got)
}

/** Checks an integer. The default maximum of 2 ** 47 is far below the limit of Redis. */
export const checkInteger = (
  option: string,
  got: number,
  min: number = 1,
  max: number = 2 ** 47,
  kind: string = 'an integer',
): void => {
  if (Number.isInteger(got) && got >= min && got <= max) return
  assertOption(false, option, `${kind} from ${min} to ${max}`, got)
}

/** Checks a time that can include fractions of a millisecond, such as a delay. */
export const checkDelay = (option: string, got: number, min: number = 0, max?: number): void =>
  checkNumber(option, got, min, max, 'a number of milliseconds')

/** Checks a time in whole milliseconds. */
export const checkTime = (option: string, got: number, min?: number, max?: number): void =>
  checkInteger(option, got, min, max, 'an integer of milliseconds')

/** The shortest TTL, in ms. Some of it must remain after a round trip and the allowance for drift. */
export const minTtl = 25

/** The fields of a client that are needed to warn about times in seconds. */
type Warned = {
  readonly warn: Warn | undefined
  readonly nodes: readonly { readonly scope?: string | undefined }[]
}

// The shortest times that make sense for each option, in ms. A round trip or a retry can take almost as long.
const usualLeast = {
  ttl: 1_000,
  window: 1_000,
  wait: 100,
  maxHold: 1_000,
  keepFor: 0,
  recordTtl: 60_000,
}

/** Options that are times, by name. */
type Times = { readonly [name in keyof typeof usualLeast]?: unknown }

const [hour, day, longest] = [3_600, 86_400, 30 * 86_400]

/** Whether a time was probably meant in seconds: it is very short, or would be whole hours or days in seconds. */
const isLikelySeconds = (time: number, least: number): boolean =>
  time > 0 &&
  (time < least || time === hour || time === 2 * hour || (time % day === 0 && time <= longest))

/** Warns once about each option that was probably given in seconds. */
export const warnOfSeconds = ({ warn, nodes }: Warned, options: Times): void => {
  // Memory nodes have no scope. Tests use them with short times.
  if (!warn || !nodes[0]!.scope) return
  for (const [name, least] of Object.entries(usualLeast)) {
    const given = options[name as keyof Times]
    if (typeof given === 'number' && isLikelySeconds(given, least))
      warn(
        'ERL23',
        `\`${name}\` is ${given} milliseconds: write ${given}_000 for seconds`,
        `time ${name}`,
      )
  }
}

/** Checks a TTL, including its maximum, on which the quarantine of volatile nodes relies. */
export const checkTtl = (
  option: string,
  ttl: number,
  { maxTtl }: { readonly maxTtl: number },
): void => checkInteger(option, ttl, minTtl, maxTtl, 'an integer of milliseconds, up to `maxTtl`,')

/** The maximum `limit`. Each slot is a key, and one script reads all of them. */
export const maxLimit = 100

/**
 * Throws if an invariant of the library does not hold, before a wrong lock can result. `of`: the name of the invariant.
 */
export const invariant = (holds: boolean, of: string): void => {
  if (!holds) throw new RedlockError(coded('ERL27', `a bug in edge-redlock: ${of}`))
}
