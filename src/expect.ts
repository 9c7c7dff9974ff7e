/**
 * Checks an argument at the door. The message names the option and what it should be, and shows of
 * the value only a number or its type: a string in the wrong place may well be a token.
 */
export const expect: (
  fits: unknown,
  option: string,
  expected: string,
  got?: unknown,
  Failure?: typeof TypeError | typeof RangeError,
) => asserts fits = (fits, option, expected, got, Failure = TypeError) => {
  if (fits) return
  const shown = typeof got === 'number' || got === null ? got : typeof got
  throw new Failure(`Expected \`${option}\` to be ${expected}, got ${shown}`)
}

/** Checks a number: a TypeError if it is none, a RangeError if it does not fit. */
export const expectNumber = (
  fits: boolean,
  option: string,
  expected: string,
  got: unknown,
): void => {
  expect(fits, option, expected, got, typeof got === 'number' ? RangeError : TypeError)
}
