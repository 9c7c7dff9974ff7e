import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { printable } from '../../src/operations/cli/printable.ts'
import { Redlock, restNode } from '../../src/index.ts'
import { toBase64 } from '../../src/util/bytes.ts'

// A proxy or a server may quote the token as it stands in a header or in a url.

const token = 'AXq0+ASQ/gNj~kZ=sd9=='
const base64 = (text: string): string => toBase64(new TextEncoder().encode(text))
const percent = (text: string): string =>
  Array.from(text, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')

const forms: Readonly<Record<string, string>> = {
  'as it is': token,
  'percent-encoded': encodeURIComponent(token),
  'percent-encoded in lower case': encodeURIComponent(token).replaceAll(/%../g, (one) =>
    one.toLowerCase(),
  ),
  'percent-encoded in whole': percent(token),
  'in base64': base64(token),
  'in base64 after one character': base64(`:${token}`),
  'in base64 after a user': base64(`default:${token}`),
  'in base64 before a word': base64(`${token}, and more`),
  'in base64 for urls': base64(`ab${token}`).replaceAll('+', '-').replaceAll('/', '_'),
  'in base64 in a url': `https://a.example/x?auth=${base64(`u:${token}`)}&more`,
  'in a field of JSON': `{"auth":"${base64(`u:${token}`)}"}`,
}

const surrounded = (form: string): string => `WRONGPASS for ${form} of 10.0.0.1`

describe.each(Object.entries(forms))('the token %s', (_name, form) => {
  it('is masked in the errors of a node', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ error: surrounded(form) }, { status: 401 })
    const node = restNode({ url: 'https://a.example', token, fetch })
    const result = await new Redlock({ nodes: [node], warnings: false }).tryAcquire('key')
    const [report] = result.ok ? [] : result.nodes
    expect(report!.error!.message).toMatch(/^WRONGPASS for \S*\*\*\*\S* of 10\.0\.0\.1$/)
    expect(report!.error!.message).not.toContain(form)
  })

  it('is masked by the command line', () => {
    const shown = printable([token])(surrounded(form))
    expect(shown).toMatch(/^WRONGPASS for \S*\*\*\*\S* of 10\.0\.0\.1$/)
  })
})

// Blanks, quotes and letters of other alphabets.
const password = 'pä ss"wörd\\x&y €'
const formsOfPassword: Readonly<Record<string, string>> = {
  'as it is': password,
  'in JSON': JSON.stringify({ password }),
  'in JSON in ASCII': JSON.stringify({ password }).replaceAll(
    /[^ -~]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
  'percent-encoded': encodeURIComponent(password),
  'percent-encoded as a url': encodeURI(password),
  'in a form': new URLSearchParams({ password }).toString(),
  'in base64': base64(`default:${password}`),
  'after a malformed percent sign': `50%,%zz%${encodeURIComponent(password)}`,
  'before a malformed percent sign': `${encodeURIComponent(password)}%`,
}

it.each(Object.entries(formsOfPassword))('masks a password with blanks %s', (_name, form) => {
  const shown = printable([token, password])(surrounded(form))
  expect(shown).toMatch(/^WRONGPASS for .*\*\*\*.* of 10\.0\.0\.1$/)
  expect(shown).not.toMatch(/[ä€]|%C3|%E2|\\u00e4|w6Rz/)
})

it('shows no part of a password with blanks where a text is cut', () => {
  const secret = 'correct horse battery staple'
  for (let before = 900; before < 1_010; before++) {
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret)]) {
      for (const begin of ['w '.repeat(before / 2), `${secret} `.repeat(60), 'x'.repeat(before)]) {
        const shown = printable([secret])(`${begin}${form} ${'z '.repeat(500)}`)
        expect(shown).not.toMatch(/correct|horse|batt|stap/)
        expect(shown.length).toBeLessThan(1_010)
      }
    }
  }
})

it('leaves other words in base64 and percent-encoding as they are', () => {
  const text = `EVAL of ${base64('another word')}, 100%, %zz, %41 and f/g+h failed`
  expect(printable([token])(text)).toBe(text)
})

it.each([
  ['line breaks', 'ERR a\nedge-redlock: all is well\r\nb'],
  ['other separators of lines', 'ERR a\u2028b\u2029c\u0085d'],
  ['what moves the cursor', 'ERR a\u001b[2Jb'],
  ['what reverses the text', 'ERR a\u202eb\u2066c'],
])('a message of a server is one line, without %s', async (_name, error) => {
  const fetch = async (): Promise<Response> => Response.json({ error }, { status: 400 })
  // The console tells of a node once.
  const node = restNode({ url: `https://${crypto.randomUUID()}.example`, token, fetch })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  await new Redlock({ nodes: [node] }).tryAcquire('key')
  const lines = warn.mock.calls.map(String)
  expect(lines).not.toEqual([])
  for (const line of [...lines, printable([token])(error)]) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})
