import type { Fault } from '../../verification/comparison/faults.ts'

/** One way to a distant server: 3 to 10 ms, another time for each request. */
export const distance = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 3 + 7 * Math.random()))

/** The way to such a server and back. */
export const remote: Fault = async (send) => {
  await distance()
  const reply = await send()
  await distance()
  return reply
}
