import { readFile } from 'node:fs/promises'

// Agents read all pages in one file. In English and code, a token has about four characters.
const perToken = 4

/** The size of `llms-full.txt`, which contains all pages of the built site, in tokens; 0 if the file does not exist. */
export const tokensOfText = async (): Promise<number> => {
  const file = new URL('../../docs/.vitepress/dist/llms-full.txt', import.meta.url)
  const text = await readFile(file, 'utf8').catch(() => '')
  return Math.round(text.length / perToken)
}
