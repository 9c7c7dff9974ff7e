import type { Script } from '../../protocol/script.ts'
import { prelude, shasWithPrelude } from './prelude.ts'

// Made once: a node may remember what it knows of a script by the object.
const scripts = new Map<Script, Script>()

/** The script as a volatile node runs it; undefined for one that grants nothing. */
export const volatileScript = (script: Script): Script | undefined => {
  const known = scripts.get(script)
  if (known) return known
  const sha = shasWithPrelude.get(script.sha)
  if (sha === undefined) return undefined
  const own = { sha, source: `${prelude} ${script.source}` }
  scripts.set(script, own)
  return own
}
