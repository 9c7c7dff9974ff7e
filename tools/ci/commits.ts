import { execa } from 'execa'

// Checks commit messages, except those of merges. Covers only commits that were made after this file was added, so a
// shallow clone contains fewer of them.

const file = 'tools/ci/commits.ts'

/** The rules for a message, each with a function that detects violations. */
const rules: readonly (readonly [
  rule: string,
  isBroken: (subject: string, body: string) => boolean,
])[] = [
  ['at most 72 characters in the first line', (subject) => subject.length > 72],
  ['one topic: no semicolon in the first line', (subject) => subject.includes(';')],
  ['no full stop at the end of the first line', (subject) => subject.endsWith('.')],
  [
    'the imperative first, as in "Add": a capital, and no "Adds", "Added" or "Adding"',
    (subject) =>
      !/^[A-Z]/.test(subject) ||
      /^(?!Embed|Feed|Shed|Bring)[A-Z]\w*(?:ed|ing|[^s]s)\b/.test(subject),
  ],
  ['the reason in the body, after an empty line', (_, body) => body === ''],
]

/** Returns the output of git; empty if the folder is not a clone. */
const git = async (...args: string[]): Promise<string> => {
  const { stdout, failed } = await execa('git', args, { reject: false })
  return failed ? '' : stdout
}

/** Returns the commits that descend from the commit that added this file. */
const commits = async (): Promise<string[]> => {
  const added = await git('log', '--diff-filter=A', '--format=%H', '--', file)
  const base = added.split('\n').at(-1)
  if (!base) return []
  const format = '--format=%h%x00%an%x00%s%x00%b%x1e'
  const text = await git('log', '--no-merges', '--ancestry-path', format, `${base}..HEAD`)
  return text.split('\u001E').filter((commit) => commit.trim() !== '')
}

const problems = (await commits()).flatMap((commit) => {
  const [hash = '', author = '', subject = '', body = ''] = commit.trim().split('\0')
  if (author.endsWith('[bot]') || subject.startsWith('Revert "')) return []
  return rules
    .filter(([, isBroken]) => isBroken(subject, body.trim()))
    .map(([rule]) => `${hash} ${subject}\n  ${rule}`)
})
for (const problem of problems) console.error(problem)
console.log(`Commits: ${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
