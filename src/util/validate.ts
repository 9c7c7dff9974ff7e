/**
 * Checks an argument before anything else happens. The message names the option and what it should
 * be. It shows the value only if that is a number, and else its type: a string in the wrong place may
 * be a token.
 *
 * @throws {RangeError} for a number where another number is expected.
 * @throws {TypeError} for anything else.
 */
export const assertOption: (
  fits: unknown,
  option: string,
  expected: string,
  got: unknown,
) => asserts fits = (fits, option, expected, got) => {
  if (fits) return
  // Where no number is expected, a number may be a secret too.
  const isNumber = typeof got === 'number' && /^(an? (number|integer)|at most)/.test(expected)
  throw new (isNumber ? RangeError : TypeError)(
    `Expected \`${option}\` to be ${expected}, got ${isNumber ? got : typeof got}`,
  )
}

/** Checks arguments that must be functions. */
export const checkFunctions = (functions: Readonly<Record<string, unknown>>): void => {
  for (const [option, given] of Object.entries(functions)) {
    assertOption(typeof given === 'function', option, 'a function', given)
  }
}

/** Checks a number. It may be Infinity only where `max` is. */
export const checkNumber = (
  option: string,
  got: number,
  min: number,
  max: number = Infinity,
  unit: number = 0,
): void => {
  const fits = typeof got === 'number' && got >= min && got <= max && !(got % unit)
  assertOption(fits, option, `${unit ? 'an integer' : 'a number'} from ${min} to ${max}`, got)
}

/** Checks a whole number, such as a time in ms. The limit of 2 ** 47 is far below that of Redis. */
export const checkInteger = (
  option: string,
  got: number,
  min: number = 1,
  max: number = 2 ** 47,
): void => checkNumber(option, got, min, max, 1)

/** The shortest ttl, in ms: some of it must remain after a round trip and the largest drift. */
export const minTtl = 25

/** Checks a ttl. The quarantine of volatile nodes relies on `maxTtl`. */
export const checkTtl = (
  option: string,
  ttl: number,
  { maxTtl }: { readonly maxTtl: number },
): void => {
  checkInteger(option, ttl, minTtl)
  assertOption(ttl <= maxTtl, option, `at most \`maxTtl\`, ${maxTtl}`, ttl)
}
