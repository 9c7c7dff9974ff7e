import type { Fault } from '../../verification/comparison/faults.ts'

/** The way to a distant server: 3 to 10 ms, drawn anew for each request. */
export const distance = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 3 + 7 * Math.random()))

/** The way to a distant server and back. */
export const remote: Fault = async (_, send) => {
  await distance()
  const reply = await send()
  await distance()
  return reply
}
