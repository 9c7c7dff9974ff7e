import { execa } from 'execa'

/** The folders whose comments and messages are read. Tests are left out. */
const folders = ['bench', 'examples', 'src', 'tools', 'verification']

/** The sources of the repository, in any language whose comments can be read. */
export const sources = async (): Promise<string[]> => {
  const { stdout } = await execa('git', ['ls-files', ...folders])
  return stdout.split('\n').filter((file) => /\.(?:ts|mjs|js|lua|pml|sql)$/.test(file))
}
