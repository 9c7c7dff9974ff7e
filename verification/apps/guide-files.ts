import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const guide = join(import.meta.dirname, '../../docs/guides/meta-frameworks.md')

/** A file that a reader copies from the guide. */
type GuideFile = { readonly path: string; readonly text: string }

/** The files in a section of a page: each is a block that begins with its path as a comment. */
const filesOf = (markdown: string, section: string): GuideFile[] => {
  const [, text = ''] = markdown.split(`\n## ${section}\n`)
  return [...text.split('\n## ')[0]!.matchAll(/^```jsx?\n\/\/ (\S+)\n(.*?)^```$/gms)].map(
    ([, path, code]) => ({ path: path!, text: code! }),
  )
}

/** The files that the guide has in these sections, which run as they are. */
export const guideFiles = async (sections: readonly string[]): Promise<GuideFile[]> => {
  const markdown = await readFile(guide, 'utf8')
  return sections.flatMap((section) => {
    const files = filesOf(markdown, section)
    if (files.length === 0) throw new Error(`The guide has no file in the section ${section}`)
    return files
  })
}
