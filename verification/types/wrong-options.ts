import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const mark = /^\s*\/\/ names (\S+)$/
const error = /^(\S+\.ts)\((\d+),\d+\): error (.*)$/

/**
 * The errors that are missing in the output of the compiler. Each mark `// names option` requires an error that names
 * the option, between the mark and the next one.
 */
export const unnamedOptions = (project: string, output: string): string[] => {
  // Continuation lines are indented.
  const errors = output.split(/\n(?! )/).map((text) => {
    const [, file = '', line = 0] = error.exec(text.split('\n')[0]!) ?? []
    return { file, line: Number(line), text }
  })
  return globSync('*.ts', { cwd: project }).flatMap((file) => {
    const lines = readFileSync(join(project, file), 'utf8').split('\n')
    const marks = lines.flatMap((text, index) => {
      const [, name] = mark.exec(text) ?? []
      return name ? [{ name, line: index + 1 }] : []
    })
    if (marks.length === 0) return [`${file} has no marks`]
    return marks.flatMap(({ name, line }, index) => {
      const end = marks[index + 1]?.line ?? Infinity
      const isNamed = errors.some(
        (one) =>
          one.file === file &&
          one.line > line &&
          one.line < end &&
          new RegExp(`\\b${name}\\b`).test(one.text),
      )
      return isNamed ? [] : [`${file}(${line}): no error names ${name}`]
    })
  })
}
