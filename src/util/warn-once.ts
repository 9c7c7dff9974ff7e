import { type Code, coded } from './codes.ts'
// The warnings that this isolate has already shown. The limit protects programs that create new nodes all the time.
const warned = new Set<string>()
const maxWarnings = 100

/** Reports a problem that the user should fix. `subject` identifies the problem if its text varies. */
export type Warn = (code: Code, text: string, subject?: string) => void

/** Warns on the console, once per isolate and subject. The text must not contain secrets. */
export const warnOnce: Warn = (code, text, subject = text) => {
  if (warned.has(subject) || warned.size >= maxWarnings) return
  warned.add(subject)
  console.warn(`edge-redlock: ${coded(code, text)}`)
}
