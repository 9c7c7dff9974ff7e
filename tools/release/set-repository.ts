import { readFile, writeFile } from 'node:fs/promises'
import { Argument, Option } from 'commander'
import { runCommand } from '../cli/command.ts'
import type { Manifest } from './package-problems.ts'
import { withAbsoluteLinks } from './readme-links.ts'

// Says where the package comes from. A maintainer runs it once. The publish workflow runs it again, with
// --readme: the README of the packed file then links to the files of its version.

const pageOf = (given: string): string => {
  const page = given.replace(/^git\+/, '').replace(/(\.git)?\/*$/, '')
  if (!/^https:\/\/[\w.-]+\/[\w./-]+$/.test(page)) {
    throw new TypeError(`Expected the repository to be https://HOST/OWNER/NAME, got ${given}`)
  }
  return page
}

await runCommand<{ readme?: string }>(
  {
    name: 'npm run repository --',
    description: 'Set repository, homepage and bugs of package.json',
    arguments: [new Argument('<url>', 'the page of the repository: https://HOST/OWNER/NAME')],
    options: {
      readme: new Option('--readme <ref>', 'make the links of README.md absolute, to this tag'),
    },
  },
  async ({ readme }, { args }) => {
    const page = pageOf(args[0]!)
    const source = await readFile('package.json', 'utf8')
    const { license, ...rest } = JSON.parse(source) as Manifest
    // Where a url is set already, `package:check` compares it with the one that it is published from.
    const manifest = Object.entries({
      homepage: `${page}#readme`,
      bugs: { url: `${page}/issues` },
      license,
      repository: { type: 'git', url: `git+${page}.git` },
      ...rest,
    })
    // npm's own order: name, version and description come first.
    const first = ['name', 'version', 'description', 'keywords']
    const ordered = [
      ...first.flatMap((field) => manifest.filter(([name]) => name === field)),
      ...manifest.filter(([name]) => !first.includes(name)),
    ]
    await writeFile('package.json', `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
    if (readme) {
      const text = await readFile('README.md', 'utf8')
      await writeFile('README.md', withAbsoluteLinks(text, page, readme))
    }
    return { isMet: true, json: { page, readme }, lines: [`The repository is ${page}.`] }
  },
)
