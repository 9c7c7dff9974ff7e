import { execaSync } from 'execa'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { type Exception, exceptions, type LimitRule } from '../../tools/lint/exceptions.ts'
import { limits, rulesOf } from '../../tools/lint/limits.ts'

// The functions of src that are above a limit are those of the list, with the values there. `npm run lint` reports
// only what is above all values of its file.

type Diagnostic = {
  readonly message: string
  readonly code: string
  readonly filename: string
  readonly labels: readonly { readonly span: { readonly offset: number } }[]
}

const root = resolve(import.meta.dirname, '../..')

/** Runs oxlint with the limits alone, without exceptions. */
const diagnostics = (folder: string): readonly Diagnostic[] => {
  const temporary = mkdtempSync(join(tmpdir(), 'limits-'))
  try {
    const config = join(temporary, 'oxlint.json')
    const off = { correctness: 'off' }
    writeFileSync(config, JSON.stringify({ plugins: [], categories: off, rules: rulesOf(limits) }))
    const args = ['--config', config, '--format', 'json', folder]
    const { stdout } = execaSync('oxlint', args, { cwd: root, preferLocal: true, reject: false })
    return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

const keyOf = ({ file, name, rule }: Exception): string => `${file}: ${name}: ${rule}`

/** The name of the function at this place: its own, or that of the last declaration before it. */
const nameAt = (source: string, offset: number): string => {
  const own = /^(?:async )?function\*? (\w+)/.exec(source.slice(offset))
  const before = source.slice(0, offset)
  const property = /(\w+)(?:: )?$/.exec(before)
  const declared = [...before.matchAll(/\b(?:const|let|function\*?) (\w+)/g)].at(-1)
  return (own ?? property ?? declared)?.[1] ?? 'unknown'
}

/** The functions above a limit. Of several with one name, the worst. */
const findAbove = (folder: string): Exception[] => {
  const found = new Map<string, Exception>()
  for (const { code, message, filename: file, labels } of diagnostics(folder)) {
    // Its offset counts bytes.
    const source = readFileSync(join(root, file)).toString('latin1')
    const name = nameAt(source, labels[0]!.span.offset)
    const rule = /\((.+)\)/.exec(code)![1] as LimitRule
    const value = Number(
      /complexity of (\d+)|lines \((\d+)\)/.exec(message)!.slice(1).find(Boolean),
    )
    const key = keyOf({ file, name, rule, value })
    if (value > (found.get(key)?.value ?? 0)) found.set(key, { file, name, rule, value })
  }
  return [...found.values()]
}

/** What is to be done about each difference between the code and the list. */
const differences = (found: readonly Exception[], listed: readonly Exception[]): string[] => {
  const inList = new Map(listed.map((exception) => [keyOf(exception), exception.value]))
  const inCode = new Map(found.map((exception) => [keyOf(exception), exception.value]))
  const worse = found.flatMap((exception) => {
    const key = keyOf(exception)
    const allowed = inList.get(key) ?? limits[exception.rule]
    return exception.value > allowed ? `${key} is ${exception.value}, at most ${allowed}` : []
  })
  const better = listed.flatMap((exception) => {
    const key = keyOf(exception)
    const value = inCode.get(key)
    if (value === undefined) return `${key} is within the limit: remove its exception`
    return value < exception.value ? `${key} is ${value}: lower its exception` : []
  })
  return [...worse, ...better]
}

it('functions of src are within the limits, except those in tools/lint/exceptions.ts', () => {
  expect(differences(findAbove('src'), exceptions)).toEqual([])
})

it('a function that is new, or worse or better than its exception, is a difference', () => {
  const at = (name: string, value: number): Exception => ({
    file: 'src/a.ts',
    name,
    rule: 'complexity',
    value,
  })
  const found = [at('same', 20), at('worse', 21), at('better', 19), at('added', 16)]
  const listed = [at('same', 20), at('worse', 20), at('better', 20), at('fixed', 20)]
  expect(differences(found, listed)).toEqual([
    'src/a.ts: worse: complexity is 21, at most 20',
    'src/a.ts: added: complexity is 16, at most 15',
    'src/a.ts: better: complexity is 19: lower its exception',
    'src/a.ts: fixed: complexity is within the limit: remove its exception',
  ])
})
