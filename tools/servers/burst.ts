/** The response to one request of a burst. `retryAfter` is in seconds, `time` in ms. */
export type Outcome = {
  readonly user: string
  readonly status: number
  readonly retryAfter: string
  readonly time: number
}

/** Sends one submit per user, all at the same moment. */
export const burst = (url: string, users: readonly string[]): Promise<Outcome[]> =>
  Promise.all(
    users.map(async (user) => {
      const start = performance.now()
      const response = await fetch(`${url}/assignments/7/submit`, {
        method: 'POST',
        headers: { 'x-user': user },
      })
      await response.text()
      const time = Math.round(performance.now() - start)
      return {
        user,
        status: response.status,
        retryAfter: response.headers.get('retry-after') ?? '',
        time,
      }
    }),
  )

/** How many requests passed. */
export const passed = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ status }) => status === 202).length
