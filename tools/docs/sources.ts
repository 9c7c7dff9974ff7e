import { execa } from 'execa'

/** The folders whose comments and messages are read. Tests are left out. */
const folders = ['bench', 'examples', 'src', 'tools', 'verification']

/**
 * Folders and files that still have findings. The list only shrinks: rewrite the sentences of a folder, and remove its
 * row. In all others, a finding fails the tests.
 */
export const unfinished: readonly string[] = [
  'bench/contention/',
  'bench/regions/',
  'bench/virtual/',
  'src/',
  'verification/mutants/list.ts',
  'verification/simulation/',
]

/** Whether a source has to be without findings. */
export const isFinished = (file: string): boolean =>
  !unfinished.some((path) => file.startsWith(path))

/** The sources of the repository, in any language whose comments can be read. */
export const sources = async (): Promise<string[]> => {
  const { stdout } = await execa('git', ['ls-files', ...folders])
  return stdout.split('\n').filter((file) => /\.(?:ts|mjs|js|lua|pml|sql)$/.test(file))
}

/** The part of the repository that a source belongs to, such as `src/requests`. */
export const roomOf = (file: string): string => {
  const [folder, room = ''] = file.split('/')
  return room.includes('.') ? folder! : `${folder}/${room}`
}
