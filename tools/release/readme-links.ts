// A registry shows the README without the other files of the repository.

const link = /(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g

/** Applies a function to the text between the blocks of code. */
const outsideCode = (markdown: string, apply: (text: string) => string): string =>
  markdown
    .split(/^(```.*?^```$)/ms)
    .map((part, index) => (index % 2 ? part : apply(part)))
    .join('')

/** The targets of links to files of the repository, without their anchors. */
export const relativeLinks = (markdown: string): string[] => {
  const targets = new Set<string>()
  outsideCode(markdown, (text) => {
    for (const [, , , target] of text.matchAll(link)) targets.add(target!.replace(/#.*/, ''))
    return text
  })
  return [...targets]
}

/**
 * The same text with links to the repository instead.
 *
 * @param url - The page of the repository, such as `https://github.com/OWNER/NAME`.
 * @param ref - The tag or branch that has the files.
 */
export const withAbsoluteLinks = (markdown: string, url: string, ref: string): string =>
  outsideCode(markdown, (text) =>
    text.replace(link, (_, mark: string, words: string, target: string) => {
      const kind = mark ? 'raw' : 'blob'
      return `${mark}[${words}](${url}/${kind}/${ref}/${target})`
    }),
  )

/** The same text, with relative links replaced by their words, and pictures by their descriptions. */
export const withoutLinks = (markdown: string): string =>
  outsideCode(markdown, (text) =>
    text.replace(link, (_, mark: string, words: string) => (mark ? `*${words}*` : words)),
  )
