import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the project, with a trailing slash. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** One change to the sources: replaces `find`, which must occur exactly once in `file`, with `replace`. */
export type Patch = {
  readonly name: string
  /** The path relative to the root of the project. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** A patched copy of some folders of the project. `remove` deletes it. */
export type PatchedCopy = {
  readonly directory: string
  readonly remove: () => Promise<void>
}

/** Applies a patch to a source. @throws if the text to replace does not occur exactly once. */
export const applyPatch = (source: string, { name, file, find, replace }: Patch): string => {
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${name}: found ${count} times in ${file}, not once: ${find}`)
  return source.replace(find, () => replace)
}

/**
 * Copies folders of the project into a temporary directory and applies the patches there.
 *
 * @param options.prefix - The prefix of the directory name. Git and linters ignore directories with this prefix.
 * @param options.afterPatching - Called with the directory, to regenerate files that depend on patched files.
 * @throws if a patch does not apply exactly once. The copy is then removed.
 */
export const copyWithPatches = async ({
  folders,
  patches,
  prefix,
  afterPatching,
}: {
  readonly folders: readonly string[]
  readonly patches: readonly Patch[]
  readonly prefix: string
  readonly afterPatching?: (directory: string) => Promise<void>
}): Promise<PatchedCopy> => {
  // Create the directory inside the project, so that the copy resolves the same packages.
  const directory = await mkdtemp(join(root, prefix))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    for (const folder of folders) {
      await cp(join(root, folder), join(directory, folder), { recursive: true })
    }
    for (const patch of patches) {
      const path = join(directory, patch.file)
      await writeFile(path, applyPatch(await readFile(path, 'utf8'), patch))
    }
    await afterPatching?.(directory)
  } catch (error) {
    await remove()
    throw error
  }
  return { directory, remove }
}
