// Converts links in the README, because a registry displays it without the other files of the repository.

const link = /(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g

/** Applies a function to the text outside of code blocks. */
const outsideCode = (markdown: string, apply: (text: string) => string): string =>
  markdown
    .split(/^(```.*?^```$)/ms)
    .map((part, index) => (index % 2 ? part : apply(part)))
    .join('')

/** Returns the targets of links to files of the repository, without anchors. */
export const relativeLinks = (markdown: string): string[] => {
  const targets = new Set<string>()
  outsideCode(markdown, (text) => {
    for (const [, , , target] of text.matchAll(link)) targets.add(target!.replace(/#.*/, ''))
    return text
  })
  return [...targets]
}

/**
 * Replaces relative links with links to the repository.
 *
 * @param url - The page of the repository, such as `https://github.com/OWNER/NAME`.
 * @param ref - The tag or branch with the files.
 */
export const withAbsoluteLinks = (markdown: string, url: string, ref: string): string =>
  outsideCode(markdown, (text) =>
    text.replace(link, (_, mark: string, words: string, target: string) => {
      const kind = mark ? 'raw' : 'blob'
      return `${mark}[${words}](${url}/${kind}/${ref}/${target})`
    }),
  )

/** Replaces relative links with their text, and pictures with their descriptions. */
export const withoutLinks = (markdown: string): string =>
  outsideCode(markdown, (text) =>
    text.replace(link, (_, mark: string, words: string) => (mark ? `*${words}*` : words)),
  )
