import { writeScripts } from '../../../tools/lua/generate.ts'
import { copyWithPatches, type Patch, type PatchedCopy } from '../../../tools/patch-copy.ts'
import { broken, type BrokenName } from './list.ts'

/** The patches that break the sources in this way. */
export const patchesOf = (name: BrokenName): Patch[] =>
  broken[name].patches.map(({ file, find, replace }) => ({ name, file, find, replace }))

/** Creates a copy of the sources that is broken on purpose. The clients of a campaign run it. */
export const copyBroken = (name: BrokenName): Promise<PatchedCopy> =>
  copyWithPatches({
    folders: ['src', 'tools', 'verification/chaos', 'verification/history'],
    patches: patchesOf(name),
    prefix: '.chaos-',
    afterPatching: async (directory) => void (await writeScripts(directory)),
  })
