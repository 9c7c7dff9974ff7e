/**
 * Checks an argument at the door: a RangeError for a number, a TypeError for anything else. The
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
  const isNumber = typeof got === 'number'
  throw new (isNumber ? RangeError : TypeError)(
    `Expected \`${option}\` to be ${expected}, got ${isNumber ? got : typeof got}`,
  )
}
