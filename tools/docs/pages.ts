import { glob } from 'node:fs/promises'

/** Lists the files for readers: the README, the skill for agents, and the pages of the site. */
export const texts = async (): Promise<string[]> => [
  'README.md',
  'skills/edge-redlock/SKILL.md',
  ...(await pages()),
]

/**
 * Lists the hand-written pages of the site, as paths in the repository. The API reference, whose examples come from the
 * sources, the reports and the files of the repository are generated.
 */
const pages = async (): Promise<string[]> => {
  const found: string[] = []
  const exclude = (name: string): boolean =>
    /^docs\/(?:node_modules|api|reports|repository|\.vitepress)\b/.test(name)
  for await (const file of glob('docs/**/*.md', { exclude })) found.push(file)
  return found.sort()
}
