import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { broken, type BrokenName, type Patch } from './list.ts'

// A copy of the sources, broken, for the clients to run.

const scriptFile = 'src/protocol/script.ts'

/** The Lua script is known by its hash, which must fit again. @throws when it cannot be found. */
const withHash = (source: string): string => {
  const [, script] = /source: `([^`]*)`/.exec(source) ?? []
  if (script === undefined) throw new Error(`No Lua script in ${scriptFile}`)
  // As the runtime would read it.
  const text = script.replaceAll('\\\\', '\\')
  const sha = createHash('sha1').update(text).digest('hex')
  return source.replace(/sha: '[0-9a-f]{40}'/, `sha: '${sha}'`)
}

/** @throws when what is to be broken is not there exactly once. */
const apply = async (directory: string, { file, find, replace }: Patch): Promise<void> => {
  const path = join(directory, file)
  const source = await readFile(path, 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`Found ${count} times in ${file}: ${find}`)
  const patched = source.replace(find, () => replace)
  await writeFile(path, file === scriptFile ? withHash(patched) : patched)
}

/** A directory with broken sources, inside the project, so that they find the same packages. */
export const copyBroken = async (
  root: string,
  name: BrokenName,
): Promise<{ readonly directory: string; readonly remove: () => Promise<void> }> => {
  const directory = await mkdtemp(join(root, '.chaos-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    for (const part of ['src', 'tools', 'verification/chaos']) {
      await cp(join(root, part), join(directory, part), { recursive: true })
    }
    for (const patch of broken[name].patches) await apply(directory, patch)
  } catch (error) {
    await remove()
    throw error
  }
  return { directory, remove }
}
