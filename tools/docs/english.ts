import { habits } from './habits.ts'

/** A sentence that breaks a rule of the writing style. */
export type Finding = { readonly rule: string; readonly text: string }

/** The figures of a page: its words including code, its negations, and the words of its prose. */
export type Figures = { readonly words: number; readonly negations: number; readonly prose: number }

/** The maximum number of words in a sentence. */
const maxWords = 25

/** A page can have one negation per this many words of prose. */
const minWordsPerNegation = 40

// Each rule names the better wording.
const patterns: readonly (readonly [rule: string, pattern: RegExp])[] = [
  // "Where" is correct after a place, and in a comment such as "Where it listens."
  [
    '"if" or "when" instead of "where"',
    /(?:^(?![^,]*\.$)|(?<!\b(?:site|page|folder|directory|repository|file|place)s?(?: of its own)?)[.,;:(] ?)where (?!to\b|it is\b)/i,
  ],
  [
    'a page never says or has something: link inside the sentence',
    /\uE001 (?:says|has|lists?|describes?|explains?|shows?|tells?)\b/,
  ],
  ['no sentence about the page', /\b(?:this|the next|the following) (?:page|section|chapter)\b/i],
  ['"even if" or "including" instead of "also"', /, also (?:if|when|where|with|after|in|of|on)\b/i],
  ['"its own" or "automatically"', /\b(?:of its own|of their own|by itself|by themselves)\b/i],
  ['"immediately" or "simultaneously"', /\bat once\b/i],
  [
    '"slow", "unreachable" or "healthy" node',
    /\b(?:sick|well) (?:node|server)s?\b|\bnodes? (?:is|are) (?:sick|well)\b/i,
  ],
  [
    'a word that the reader knows',
    /\b(?:rivals?|contenders?|full house|seats?|born stale|courtesy|quorate)\b/i,
  ],
  [
    '"reject" is the word',
    /(?<!\bconnections? (?:is |was |are |were )?)\b(?:refus(?:e|es|ed|ing)|refusals?)\b(?! (?:to|connections?)\b)/i,
  ],
  [
    'American spelling',
    /\b(?:behaviours?|recognis\w+|licence|favour\w*|misspelt|colours?|honour\w*|organis\w+|serialis\w+|cancelled|cancelling)\b/i,
  ],
  ['"TTL", "URL" and "ID" in prose', /(?<![\w.\u0060"-])(?:ttl|url|urls|id|ids)(?![\w(\u0060-])/],
  ...habits,
]

const negation = /\b(?:not|no|never|nothing|nobody|none|neither|nor|without|cannot)\b|n't\b/gi

/** Placeholders for a link, and for code, which counts as one word. */
const [link, code] = ['\uE001', 'Code\uE002']

/** Returns the paragraphs, items, cells and headings of a page, without code and markup. */
const proseOf = (markdown: string): string[] =>
  markdown
    .replace(/^---\n.*?\n---\n/s, '')
    .replaceAll(/^ *(```+|~~~).*?^ *\1 *$/gms, '\n\n')
    .replaceAll(/<!--.*?-->|<(script|style)\b.*?<\/\1>/gs, '')
    .replaceAll(/`[^`\n]+`/g, code)
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, `$1${link}`)
    .replaceAll(/<[^>\n]+>/g, ' ')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
    .split(/\n\s*\n|\n(?= *(?:[-*] |\d+\. |#|\||:::))|\|/)
    .map((part) =>
      part
        .replace(/^\s*(?:[-*] |\d+\. |#+ |:::.*|:?-+:?)/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => /[a-z]{2}/i.test(part))

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const wordsOf = (text: string): number =>
  text.match(/[\p{L}\p{N}\uE002][\p{L}\p{N}'’.,/-]*/gu)?.length ?? 0

const shown = (text: string): string => text.replaceAll(link, '').replaceAll(code, '`...`')

/** Returns the rules that a sentence breaks. */
const brokenBy = (sentence: string): string[] => {
  const count = wordsOf(sentence)
  const broken = patterns.filter(([, pattern]) => pattern.test(sentence)).map(([rule]) => rule)
  if (count > maxWords) broken.push(`at most ${maxWords} words, here ${count}`)
  return broken
}

/** Returns the sentences of a Markdown page that break a rule. */
export const findingsOf = (markdown: string): Finding[] =>
  proseOf(markdown)
    .flatMap((part) => Array.from(sentences.segment(part), ({ segment }) => segment.trim()))
    .flatMap((sentence) => brokenBy(sentence).map((rule) => ({ rule, text: shown(sentence) })))

/** Counts the words and negations of a Markdown page. */
export const figuresOf = (markdown: string): Figures => {
  const prose = proseOf(markdown).join('\n')
  return {
    words: markdown.split(/\s+/).filter(Boolean).length,
    prose: wordsOf(prose),
    negations: prose.match(negation)?.length ?? 0,
  }
}

/** Whether a page has too many negations. */
export const isNegative = (markdown: string): boolean => {
  const { negations, prose } = figuresOf(markdown)
  return negations > Math.max(3, prose / minWordsPerNegation)
}
