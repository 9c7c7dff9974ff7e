/**
 * Starts to measure how long the lock of a request takes.
 *
 * @param isWanted - The option `serverTiming`.
 * @returns a function that makes the header, to be called with the outcome; no header where it is not
 * wanted.
 * @see {@link https://www.w3.org/TR/server-timing/}
 */
export const serverTiming = (
  isWanted: boolean | undefined,
): ((name: string, outcome: string) => Readonly<Record<string, string>>) => {
  const begun = performance.now()
  return (name, outcome) => {
    const took = (performance.now() - begun).toFixed(1)
    return isWanted ? { 'server-timing': `${name};desc="${outcome}";dur=${took}` } : {}
  }
}
