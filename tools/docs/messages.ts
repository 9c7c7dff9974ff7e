// Checks that the messages on the troubleshooting page exist in the sources.

/** Returns the text of all literals in a source file, with `…` for the expressions of templates. */
export const literalsOf = (source: string): string[] => {
  const joined = source.replaceAll(/(['`]) \+\s*\1/g, '')
  const literals = joined.matchAll(
    /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g,
  )
  return [...literals].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '')
      .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
      .replaceAll(/\\(.)/g, '$1'),
  )
}

/** The messages that a page quotes: the code in the first cells of its tables of messages. */
export const quotedMessages = (markdown: string): string[] =>
  [...markdown.matchAll(/^\| message \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)].flatMap(([, rows]) =>
    [...rows!.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map(([, message]) => message!),
    ),
  )

/** The codes of the page's sections. */
export const sectionCodes = (markdown: string): string[] =>
  [...markdown.matchAll(/^### (.*)$/gm)].map(
    ([, heading]) => /^(ERL\d\d): \S.* \{#\1\}$/.exec(heading!)?.[1] ?? heading!,
  )

// A shorter part, such as a colon, would match anywhere.
const minLength = 4

/** Returns the parts of a message, between its gaps, that no literal contains. */
export const missingParts = (message: string, literals: readonly string[]): string[] =>
  message
    .split('…')
    // Ignore a colon before a gap, which can be part of another literal.
    .map((part) => part.replaceAll(/^[\s:;]+|[\s:;]+$/g, ''))
    .filter((part) => part.length >= minLength)
    .filter((part) => !literals.some((literal) => literal.includes(part)))
