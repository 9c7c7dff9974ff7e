/** Hands work that continues after a call to `waitUntil`, if there is one. */
export const defer = (
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
  work: Promise<void>,
): void => {
  // `waitUntil` was checked when the call began. It may still throw once the request has ended.
  try {
    waitUntil?.(work)
  } catch {}
}

/** Hands over work that is about to begin. @returns the function that ends it. */
export const deferred = (waitUntil: (work: Promise<unknown>) => void): (() => void) => {
  let end = (): void => {}
  const work = new Promise<void>((resolve) => (end = resolve))
  defer(waitUntil, work)
  return end
}
