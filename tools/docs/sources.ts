import { execa } from 'execa'

/** The folders whose comments and messages are checked. Tests are not included. */
const folders = ['bench', 'examples', 'src', 'tools', 'verification']

/** Lists the source files of the repository, in all supported languages. */
export const sources = async (): Promise<string[]> => {
  const { stdout } = await execa('git', ['ls-files', ...folders])
  return stdout.split('\n').filter((file) => /\.(?:ts|mjs|js|lua|pml|sql)$/.test(file))
}
