import { execaSync } from 'execa'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

// How complex and how long a function of src may be. `npm run lint` reports each function that is above a limit.

type Diagnostic = { readonly code: string; readonly filename: string }

const root = resolve(import.meta.dirname, '../..')

/** Lints a project with the configuration of this one. @returns the files that break a rule, each with the rule. */
const lint = (files: Readonly<Record<string, string>>): string[] => {
  const project = mkdtempSync(join(tmpdir(), 'limits-'))
  try {
    for (const copied of ['oxlint.config.ts', 'tools/lint', 'tsconfig.json', 'package.json']) {
      cpSync(join(root, copied), join(project, copied), { recursive: true })
    }
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
    mkdirSync(join(project, 'src'))
    for (const [file, source] of Object.entries(files)) writeFileSync(join(project, file), source)
    const options = { cwd: project, preferLocal: true, localDir: root, reject: false }
    const { exitCode, stdout } = execaSync('oxlint', ['--format', 'json', 'src'], options)
    expect(exitCode).toBe(1)
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
    return diagnostics.map(({ code, filename }) => `${filename}: ${code}`)
  } finally {
    rmSync(project, { recursive: true })
  }
}

/** A function of this complexity: 1, and 1 more for each further condition. */
const complex = (complexity: number): string => {
  const conditions = Array.from({ length: complexity }, (_, index) => `given !== ${index}`)
  return `export const check = (given: number): boolean => ${conditions.join(' && ')}\n`
}

/** A function of so many lines, beside a comment and a blank line. */
const long = (lines: number): string => {
  const body = Array.from({ length: lines - 3 }, () => '  sum += sum\n').join('')
  return `export const add = (sum: number): number => {\n  // Adds.\n\n${body}  return sum\n}\n`
}

it('a function of src may have a complexity of 15, and 60 lines of code', () => {
  const found = lint({
    'src/complex.ts': complex(15),
    'src/too-complex.ts': complex(16),
    'src/long.ts': long(60),
    'src/too-long.ts': long(61),
  })
  expect(found.toSorted()).toEqual([
    'src/too-complex.ts: eslint(complexity)',
    'src/too-long.ts: eslint(max-lines-per-function)',
  ])
})
