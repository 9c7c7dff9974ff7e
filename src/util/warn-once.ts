// The warnings that this isolate has shown. The limit is for a program that keeps creating nodes.
const warned = new Set<string>()
const maxWarnings = 100

/** Shows a problem that the user should fix. `subject` identifies the problem if the text varies. */
export type Warn = (text: string, subject?: string) => void

/** Warns on the console, once per isolate and subject. The text must not contain secrets. */
export const warnOnce: Warn = (text, subject = text) => {
  if (warned.has(subject) || warned.size >= maxWarnings) return
  warned.add(subject)
  console.warn(`edge-redlock: ${text}`)
}
