import { readFile, writeFile } from 'node:fs/promises'
import { Argument } from 'commander'
import { runCommand } from '../cli/command.ts'
import type { Manifest } from './package-problems.ts'
import { pageOf } from './page-of.ts'
import { setDeployButton } from './set-deploy-button.ts'

// Sets the repository of the package. A maintainer runs this once, and the publish workflow runs it again.

await runCommand(
  {
    name: 'npm run release -- repository',
    description: 'Set repository, homepage and bugs of package.json',
    arguments: [new Argument('<url>', 'the page of the repository: https://HOST/OWNER/NAME')],
    options: {},
  },
  async (_, { args }) => {
    const page = pageOf(args[0]!)
    const source = await readFile('package.json', 'utf8')
    const { license, ...rest } = JSON.parse(source) as Manifest
    // If a URL is already set, `npm run release -- check` compares it with the publishing repository.
    const manifest = Object.entries({
      homepage: `${page}#readme`,
      bugs: { url: `${page}/issues` },
      license,
      repository: { type: 'git', url: `git+${page}.git` },
      ...rest,
    })
    // As in npm's own order, name, version and description come first.
    const first = ['name', 'version', 'description', 'keywords']
    const ordered = [
      ...first.flatMap((field) => manifest.filter(([name]) => name === field)),
      ...manifest.filter(([name]) => !first.includes(name)),
    ]
    await writeFile('package.json', `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
    await setDeployButton(page, rest.version!)
    return { isMet: true, json: { page }, lines: [`The repository is ${page}.`] }
  },
)
