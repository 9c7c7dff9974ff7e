import { readFile } from 'node:fs/promises'

// An agent reads all pages in one go. In English and code, a token has about four characters.
const perToken = 4

/** The size of `llms-full.txt`, the text of all pages of the built site, in tokens; 0 if there is none. */
export const tokensOfText = async (): Promise<number> => {
  const file = new URL('../../docs/.vitepress/dist/llms-full.txt', import.meta.url)
  const text = await readFile(file, 'utf8').catch(() => '')
  return Math.round(text.length / perToken)
}
