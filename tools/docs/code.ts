import { SyntaxKind } from 'typescript/unstable/ast'
import { isComment, type Token, tokensOf } from './scan.ts'

/** A comment or a message in a source file, as Markdown. */
export type Passage = { readonly line: number; readonly text: string }

type Comment = { readonly start: number; readonly text: string }

/** Patterns for comments in other languages. Strings come first in a pattern, because they can contain `--`. */
const commentsByLanguage: Readonly<Record<string, RegExp>> = {
  lua: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|--\[\[.*?\]\]|--[^\n]*/gs,
  sql: /'[^']*'|\/\*.*?\*\/|--[^\n]*/gs,
  pml: /"(?:\\.|[^"\\])*"|\/\*.*?\*\/|\/\/[^\n]*/gs,
}

const matchesOf = (source: string, pattern: RegExp): Comment[] =>
  Array.from(source.matchAll(pattern), ({ index, 0: text }) => ({ start: index, text })).filter(
    ({ text }) => !/^["']/.test(text),
  )

const isLineComment = ({ text }: Comment): boolean => /^(?:\/\/|--(?!\[\[))/.test(text)

/** Joins consecutive line comments to one comment. */
const joined = (source: string, comments: readonly Comment[]): Comment[] => {
  const all: Comment[] = []
  let end = 0
  for (const comment of comments) {
    const last = all.at(-1)
    const isNext =
      last !== undefined &&
      isLineComment(last) &&
      isLineComment(comment) &&
      /^\n[ \t]*$/.test(source.slice(end, comment.start)) &&
      startsLine(source, last.start)
    if (isNext) all.splice(-1, 1, { ...last, text: `${last.text}\n${comment.text}` })
    else all.push(comment)
    end = comment.start + comment.text.length
  }
  return all
}

const startsLine = (source: string, start: number): boolean =>
  /(?:^|\n)[ \t]*$/.test(source.slice(0, start).slice(-200))

/** Directives, which are not prose. `names OPTION` marks an expected compiler error, in verification/types. */
const directive =
  /^(?:names \S+$|(?:ox|es)lint-\w[\w-]*|@ts-\w[\w-]*|v8 ignore|@vite-ignore|#__PURE__|=>|\/ <reference)/

/** Returns the text of a comment line. */
const bare = (line: string): string => {
  const text = line
    .replace(/^\s*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/|--(?:\[\[)?)? ?/, '')
    .replace(/\s*(?:\*\/|\]\])$/, '')
  // Only the reason of a directive is prose.
  return directive.test(text.trim()) ? (/ -- (.*)$/.exec(text)?.[1] ?? '') : text
}

/** Whether a line contains columns, arrows or indented code instead of prose. */
const isDrawing = (line: string): boolean =>
  /\S {3,}\S|[\u2500-\u257F]|^ {4,}\S|^\s*[-=+|<>^v]{3,}/.test(line)

/** Converts the prose of a comment to Markdown: without examples, and with a paragraph for each tag. */
const markdownOf = (comment: string): string =>
  comment
    .split('\n')
    .map(bare)
    .map((line) => (isDrawing(line) ? '' : line))
    .join('\n')
    .replaceAll(/^@(?:example|default|see|type|import)\b.*?(?=^@|(?![\s\S]))/gms, '')
    .replaceAll(/\{@link(?:code|plain)? [^}]*\}/g, '`x`')
    .replaceAll(/https?:\/\/\S+/g, '`x`')
    .replaceAll(
      /^@(?:param|template|property|typeParam)(?: \{.*?\})? (?:\[?[\w.]+\]?(?:=\S+)?)(?: -)?/gm,
      '\n\n',
    )
    .replaceAll(
      /^@(?:returns?|throws|remarks|deprecated|typeParam|public|internal)\b(?: \{.*?\})?/gm,
      '\n\n',
    )

const calls = /(?:Error|[wW]arn|[oO]ption|^description|^argument|^print|^log|^error|^fail)$/
const keys = /^(?:description|message|lines|help|hint|fix)$/

const opening: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.OpenParenToken,
  SyntaxKind.OpenBraceToken,
  SyntaxKind.OpenBracketToken,
])
const closing: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.CloseBracketToken,
])

/** Selects the tokens of messages: the arguments of calls such as `new Error()`, and values such as `message:`. */
const inMessages = (tokens: readonly Token[]): Token[] => {
  const found: Token[] = []
  const levels = [false]
  for (const [index, token] of tokens.entries()) {
    const { kind } = token
    const [first, second] = [tokens[index - 2], tokens[index - 1]]
    if (opening.has(kind)) {
      const isCall = kind === SyntaxKind.OpenParenToken && calls.test(second?.text ?? '')
      levels.push(isCall || (kind !== SyntaxKind.OpenBraceToken && levels.at(-1)!))
    } else if (closing.has(kind)) levels.pop()
    else if (levels.at(-1) || (second?.text === ':' && keys.test(first?.text ?? ''))) {
      found.push(token)
    }
  }
  return found
}

/** Extracts messages: strings, and templates whose expressions become code. */
const messagesOf = (source: string, tokens: readonly Token[]): Passage[] => {
  const passages: Passage[] = []
  const add = (start: number, text: string): void => {
    const plain = text.replaceAll(/\\[`'"]/g, (escaped) => escaped[1]!).replaceAll('\\n', '\n\n')
    if (/(?:[\w`'-]+[,:;]? ){3}/.test(plain))
      passages.push({ line: lineAt(source, start), text: plain })
  }
  let template: { start: number; text: string } | undefined
  for (const { kind, start, text } of inMessages(tokens)) {
    const inner = text.slice(1, -1)
    if (kind === SyntaxKind.StringLiteral || kind === SyntaxKind.NoSubstitutionTemplateLiteral) {
      add(start, inner)
    } else if (kind === SyntaxKind.TemplateHead) template = { start, text: text.slice(1, -2) }
    else if (kind === SyntaxKind.TemplateMiddle && template) {
      template.text += `\`x\`${text.slice(1, -2)}`
    } else if (kind === SyntaxKind.TemplateTail && template) {
      add(template.start, `${template.text}\`x\`${inner}`)
      template = undefined
    }
  }
  return passages
}

const lineAt = (source: string, start: number): number => source.slice(0, start).split('\n').length

const passageOf =
  (source: string) =>
  ({ start, text }: Comment): Passage => ({
    line: lineAt(source, start),
    text: markdownOf(text),
  })

/** Extracts the comments and messages of a source file, in any language that the repository uses. */
export const passagesOf = (file: string, source: string): Passage[] => {
  const pattern = commentsByLanguage[file.split('.').at(-1)!]
  if (pattern) return joined(source, matchesOf(source, pattern)).map(passageOf(source))
  const tokens = tokensOf(source)
  const comments = joined(source, tokens.filter(isComment))
  const code = tokens.filter((token) => !isComment(token))
  return [...comments.map(passageOf(source)), ...messagesOf(source, code)].sort(
    (a, b) => a.line - b.line,
  )
}
