import type { CommandLine } from './execute.ts'
import { type Member, runFamily } from './family.ts'
import { compile, installQuietly } from './steps.ts'

// `npm run docs`: the pages and the site.

/** The commands that prepare the site: dependencies, the API reference, and the pages made from reports and files. */
const before: readonly CommandLine[] = [
  installQuietly('docs'),
  ['node', 'docs/.vitepress/api.ts'],
  ['node', 'docs/.vitepress/reports.ts'],
  ['node', 'docs/.vitepress/repository.ts'],
]

const members: readonly Member[] = [
  {
    name: 'check',
    description: 'compiles and runs every example of the README and of the pages',
    takes: '--only recipes/cron --json',
    run: ['node', 'tools/docs/check.ts'],
  },
  {
    name: 'read',
    description: 'the English of pages, comments and messages: long sentences, words that we avoid',
    takes: '--only src/requests --json',
    run: ['node', 'tools/docs/read.ts'],
  },
  {
    name: 'serve',
    description: 'serves the site, and reloads it while you write',
    before,
    run: ['npm', 'run', '--silent', '--prefix', 'docs', 'dev', '--'],
  },
  {
    name: 'build',
    description: 'builds the site into docs/.vitepress/dist, and checks all links',
    before: [...before, compile('docs'), ['npm', 'run', '--silent', '--prefix', 'docs', 'build']],
    takes: '--json',
    run: ['node', 'tools/docs/links.ts'],
  },
]

await runFamily({
  name: 'docs',
  description: 'Check, read, serve and build the documentation',
  members,
})
