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
