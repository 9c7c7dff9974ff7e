import type { Script } from '../../protocol/script.ts'
import { prelude, shasWithPrelude } from './prelude.ts'

// Each is created once, because a node may cache facts about a script by its object.
const scripts = new Map<Script, Script>()

/** The script that a volatile node runs; undefined for a script that grants nothing. */
export const volatileScript = (script: Script): Script | undefined => {
  const known = scripts.get(script)
  if (known) return known
  const sha = shasWithPrelude.get(script.sha)
  if (sha === undefined) return undefined
  const own = { sha, source: `${prelude} ${script.source}` }
  scripts.set(script, own)
  return own
}
