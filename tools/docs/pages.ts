import { glob } from 'node:fs/promises'

/** The texts for readers: the README, the skill for agents, and the pages of the site. */
export const texts = async (): Promise<string[]> => [
  'README.md',
  'skills/edge-redlock/SKILL.md',
  ...(await pages()),
]

/**
 * The pages of the site that people write, as paths of the repository. The API reference and the reports are
 * generated, and the examples of the reference come from the sources.
 */
const pages = async (): Promise<string[]> => {
  const found: string[] = []
  const exclude = (name: string): boolean =>
    /^docs\/(?:node_modules|api|reports|\.vitepress)\b/.test(name)
  for await (const file of glob('docs/**/*.md', { exclude })) found.push(file)
  return found.sort()
}
