/** Waits for a condition, asking again and again. @throws when it does not come true within `limit` ms. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
  limit: number,
  what: string = 'it did not come true',
): Promise<void> => {
  const end = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} within ${limit} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
