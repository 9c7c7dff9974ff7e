import { runScript } from './processes.ts'

/** The scripts of npm that have several commands. */
export const familyNames = ['bench', 'docs', 'release', 'verify'] as const

/** A member of a family, as `npm run FAMILY` lists it. */
export type Listed = { readonly name: string; readonly takes: string }

/** The members that a family lists. */
export const listed = async (family: (typeof familyNames)[number]): Promise<Listed[]> => {
  const { stdout } = await runScript(`run/${family}`, [])
  const [, list = ''] = stdout.split('Commands:\n')
  return Array.from(
    list.matchAll(/^ {2}(\S+) .*(?:\n {4,}(.*))?/gm),
    ([, name = '', takes = '']) => ({ name, takes }),
  )
}
