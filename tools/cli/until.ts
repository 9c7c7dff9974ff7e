/** Polls a condition until it is true. @throws if it is still false after `limit` ms. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  limit: number,
  failure: string = 'the condition was not met',
): Promise<void> => {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${failure} within ${limit} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
