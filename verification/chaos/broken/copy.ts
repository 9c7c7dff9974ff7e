import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeScripts } from '../../../tools/lua/generate.ts'
import { broken, type BrokenName, type Patch } from './list.ts'

// A copy of the sources, broken on purpose, for the clients to run.

/** @throws when the text to replace is not in the file exactly once. */
const apply = async (directory: string, { file, find, replace }: Patch): Promise<void> => {
  const path = join(directory, file)
  const source = await readFile(path, 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`Found ${count} times in ${file}: ${find}`)
  await writeFile(
    path,
    source.replace(find, () => replace),
  )
}

/** A directory with broken sources. It is inside the project, so that they find the same packages. */
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
    await writeScripts(directory)
  } catch (error) {
    await remove()
    throw error
  }
  return { directory, remove }
}
