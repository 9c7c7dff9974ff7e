import type { Scenario } from '../workload/scenario.ts'

/** Part of every node token and lock value. It must not appear in any error, event or report. */
export const secret = 'secret-of-the-lock'

export const checkSecrets = (
  { recorder, checksForSecrets }: Scenario,
  where: string,
  shown: unknown,
): void => {
  if (!checksForSecrets) return
  const text = `${JSON.stringify(shown)} ${shown instanceof Error ? shown.message : ''}`
  if (text.includes(secret)) recorder.violated('secrets', `${where}: ${text}`)
}
