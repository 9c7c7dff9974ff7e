/**
 * Checks an argument at the door: a RangeError for a number where one is wanted, else a TypeError. The
 * message names the option and what it should be, and shows of the value only a number or its type:
 * a string in the wrong place may well be a token.
 */
export const expect: (
  fits: unknown,
  option: string,
  expected: string,
  got: unknown,
) => asserts fits = (fits, option, expected, got) => {
  if (fits) return
  // Of a number only where one is wanted: elsewhere it may be a secret as well.
  const isNumber = typeof got === 'number' && /^(an? (number|integer)|at most)/.test(expected)
  throw new (isNumber ? RangeError : TypeError)(
    `Expected \`${option}\` to be ${expected}, got ${isNumber ? got : typeof got}`,
  )
}

/** Checks arguments that must be functions. */
export const checkFunctions = (functions: Readonly<Record<string, unknown>>): void => {
  for (const [option, given] of Object.entries(functions)) {
    expect(typeof given === 'function', option, 'a function', given)
  }
}

/** Checks a number. Infinity is one only where `most` is. */
export const checkNumber = (
  option: string,
  got: number,
  least: number,
  most: number = Infinity,
  unit: number = 0,
): void => {
  const fits = typeof got === 'number' && got >= least && got <= most && !(got % unit)
  expect(fits, option, `${unit ? 'an integer' : 'a number'} from ${least} to ${most}`, got)
}

/** Checks a whole number, such as a time in ms. Redis refuses much longer ones than a lock needs. */
export const checkInteger = (
  option: string,
  got: number,
  least: number = 1,
  most: number = 2 ** 47,
): void => checkNumber(option, got, least, most, 1)

/** In ms: something of a ttl must be left over HTTP, and when the largest drift is deducted. */
export const leastTtl = 25

/** Checks a ttl. Volatile nodes rely on its limit. */
export const checkTtl = (
  option: string,
  ttl: number,
  { maxTtl }: { readonly maxTtl: number },
): void => {
  checkInteger(option, ttl, leastTtl)
  expect(ttl <= maxTtl, option, `at most \`maxTtl\`, ${maxTtl}`, ttl)
}
