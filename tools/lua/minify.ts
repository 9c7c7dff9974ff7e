// Shortens a Lua script without changing its behavior: removes comments and spaces, and renames local variables to
// letters. Supports only the part of Lua that the scripts use, and throws for everything else instead of guessing.

const space = /\s+/y
const comment = /--(?!\[)[^\n]*/y
// Deliberately unsupported: double quotes, escapes in strings, long strings, long comments.
const token =
  /[A-Za-z_]\w*|\d[\w.]*|'[^'\\\n]*'|\[(?![[=])|\.\.\.|\.\.|[=~<>]=|-(?!-)|[+*/%^#<>=(){}\];:,.]/y

const keywords =
  'and break do else elseif end false for function if in local nil not or return then true while'
const globals = 'ARGV KEYS error math redis table tonumber tostring type unpack'
const known = new Set(`${keywords} ${globals}`.split(' '))
// `goto` is unsupported because labels would have to be renamed, too.
const unsupported = new Set(['goto', 'repeat', 'until'])
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

const isName = (text: string): boolean => /^[A-Za-z_]/.test(text)

const tokenize = (source: string): string[] => {
  const tokens: string[] = []
  for (let at = 0; at < source.length;) {
    const pattern = [space, comment, token].find((one) => {
      one.lastIndex = at
      return one.test(source)
    })
    if (!pattern) throw new Error(`Cannot minify ${source.slice(at).split('\n', 1)[0]}`)
    if (pattern === token) tokens.push(source.slice(at, pattern.lastIndex))
    at = pattern.lastIndex
  }
  return tokens
}

/** Returns the names that a declaration of variables, a function or parameters at this token declares. */
const declaredBy = (tokens: readonly string[], at: number): string[] => {
  const begin = tokens[at]
  let next = at + 1
  if (begin === 'function') {
    // A method has an implicit parameter, `self`.
    if (isName(tokens[next] ?? '')) next++
    if (tokens[next++] !== '(') throw new Error('Cannot minify the name of a function')
    if (tokens[next] === ')' || tokens[next] === '...') return []
  } else if (begin !== 'local' && begin !== 'for') return []
  else if (tokens[next] === 'function') next++
  const names: string[] = []
  do {
    const name = tokens[next++] ?? ''
    if (name === '...') break
    if (!isName(name) || known.has(name)) throw new Error(`Cannot rename ${name}`)
    names.push(name)
  } while (tokens[next++] === ',')
  return names
}

/**
 * Assigns a letter to each name of a local variable. In the whole script, equal names have the same letter and different
 * names have different letters, so scopes do not change.
 */
const lettersOf = (tokens: readonly string[]): Map<string, string> => {
  const renamed = new Map<string, string>()
  for (const index of tokens.keys()) {
    for (const name of declaredBy(tokens, index)) {
      if (!renamed.has(name)) renamed.set(name, letters[renamed.size] ?? '')
    }
  }
  if (renamed.size > letters.length) throw new Error('More local variables than letters')
  return renamed
}

/** Whether two tokens would have a different meaning without a space between them. */
const needsSpace = (left: string, right: string): boolean =>
  (/\w$/.test(left) && /^\w/.test(right)) || // if x
  (/\d$/.test(left) && right.startsWith('.')) || // 1 .. x
  (left.endsWith('-') && right === '-') // - -x, which would begin a comment

/**
 * @param beginning - Another script with the same beginning. Its variables receive the same letters.
 * @throws if the script uses unsupported Lua or an undeclared name.
 */
export const minify = (source: string, beginning = ''): string => {
  const tokens = tokenize(source)
  const renamed = lettersOf([...tokenize(beginning), ...tokens])
  let output = ''
  let previous = ''
  let braces = 0
  for (const text of tokens) {
    const isField = previous === '.' || previous === ':'
    const isKnown = isField ? isName(text) : !isName(text) || renamed.has(text) || known.has(text)
    if (!isKnown || unsupported.has(text)) throw new Error(`Cannot minify ${text}`)
    if (text === '{') braces++
    if (text === '}') braces--
    // Named fields are unsupported: a field with the same name as a variable would be renamed, too.
    if (text === '=' && braces > 0) throw new Error('Cannot minify a table with named fields')
    const short = isField ? text : (renamed.get(text) ?? text)
    output += needsSpace(output, short) ? ` ${short}` : short
    previous = text
  }
  return output
}
