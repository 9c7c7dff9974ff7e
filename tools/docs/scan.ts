import { createScanner, SyntaxKind } from 'typescript/unstable/ast'

/** A token of a source, or a comment. */
export type Token = { readonly kind: SyntaxKind; readonly start: number; readonly text: string }

/** After these, a slash divides. Anywhere else it begins a regular expression. */
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
 * The tokens and comments of TypeScript or JavaScript, without white space. A scanner alone cannot tell a regular
 * expression from a division, or the end of a template's expression from the end of a block.
 */
export const tokensOf = (source: string): Token[] => {
  const scanner = createScanner(false, undefined, source)
  const tokens: Token[] = []
  /** For each template that is open: the braces that are open inside its expression. */
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
