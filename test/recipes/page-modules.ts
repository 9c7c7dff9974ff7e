import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { extractExamples, fileOf, toModule } from '../../tools/docs/extract.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Writes the files of a page of docs/, which are its code blocks with a label such as `[cron.ts]`, as
 * `npm run docs -- check` does. They are removed when the test has finished.
 *
 * @returns a function that gives the path of a file by its name on the page.
 */
export const pageModules = async (page: string): Promise<(name: string) => string> => {
  const directory = await mkdtemp(join(root, '.docs-check-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const markdown = await readFile(join(root, page), 'utf8')
  const paths = new Map<string, string>()
  for (const example of extractExamples(page, markdown)) {
    if (!example.module) continue
    const path = join(directory, fileOf(example.module))
    paths.set(example.module.name, path)
    await writeFile(path, toModule(example, { names: [], from: '' }))
  }
  return (name) => {
    const path = paths.get(name)
    if (path === undefined) throw new Error(`${page} has no file ${name}`)
    return path
  }
}

/** Imports one file of a page. */
export const importFrom = async <Module>(page: string, name: string): Promise<Module> =>
  (await import((await pageModules(page))(name))) as Module
