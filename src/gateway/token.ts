/**
 * Returns a function that compares text with a token. Its run time does not depend on the number of matching
 * characters, so a client cannot guess the token one character at a time.
 */
export const tokenComparer = (token: string): ((given: string) => boolean) => {
  const expected = Uint8Array.from(token, (char) => char.charCodeAt(0))
  return (given) => {
    let difference = given.length ^ expected.length
    // Beyond the end of `given`, `charCodeAt` returns NaN, which counts as 0.
    for (let index = 0; index < expected.length; index++) {
      difference |= given.charCodeAt(index) ^ expected[index]!
    }
    return difference === 0
  }
}
