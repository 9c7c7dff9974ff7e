import { createScanner, SyntaxKind } from 'typescript/unstable/ast'

/** A token or a comment in a source file. */
export type Token = { readonly kind: SyntaxKind; readonly start: number; readonly text: string }

/** Tokens after which a slash is a division. After all others, it begins a regular expression. */
const operands: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
])

const isSlash = (kind: SyntaxKind): boolean =>
  kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken

export const isComment = ({ kind }: Token): boolean =>
  kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia

const isSpace = (kind: SyntaxKind): boolean =>
  kind === SyntaxKind.NewLineTrivia || kind === SyntaxKind.WhitespaceTrivia

/**
 * Returns the tokens and comments of TypeScript or JavaScript. A scanner alone cannot distinguish a regular expression
 * from a division, or the end of a template's expression from that of a block. So this function tracks the context.
 */
export const tokensOf = (source: string): Token[] => {
  const scanner = createScanner(false, undefined, source)
  const tokens: Token[] = []
  /** For each open template, the number of open braces inside its expression. */
  const templates: number[] = []
  let last = SyntaxKind.Unknown
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (isSpace(kind)) continue
    if (isSlash(kind) && !operands.has(last)) kind = scanner.reScanSlashToken()
    if (kind === SyntaxKind.TemplateHead) templates.push(0)
    if (kind === SyntaxKind.OpenBraceToken && templates.length > 0) {
      templates[templates.length - 1]! += 1
    }
    if (kind === SyntaxKind.CloseBraceToken && templates.length > 0) {
      if (templates.at(-1) === 0) {
        kind = scanner.reScanTemplateToken(false)
        if (kind === SyntaxKind.TemplateTail) templates.pop()
      } else templates[templates.length - 1]! -= 1
    }
    const token = { kind, start: scanner.getTokenStart(), text: scanner.getTokenText() }
    tokens.push(token)
    if (!isComment(token)) last = kind
  }
  return tokens
}
