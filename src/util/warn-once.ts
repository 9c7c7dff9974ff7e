// The warnings that this isolate has shown. The limit is for a program that makes ever new nodes.
const warned = new Set<string>()
const maxWarnings = 100

/** Warns on the console, once per isolate and subject. The text must not contain secrets. */
export const warnOnce = (text: string, subject: string = text): void => {
  if (warned.has(subject) || warned.size >= maxWarnings) return
  warned.add(subject)
  console.warn(`edge-redlock: ${text}`)
}
