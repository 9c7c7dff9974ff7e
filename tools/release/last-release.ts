import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

// Builds the last release, to run it alongside this version. Until the package is in a registry, the last release is a
// commit of this repository. After that, it is a version: replace `git archive` with `npm pack edge-redlock@VERSION`.

export const lastRelease = 'e053c64e48df8d77d8d8457f0375df55ec41d824'

const root = fileURLToPath(new URL('../..', import.meta.url))
// The folder is inside node_modules, so that imports of peer dependencies resolve, and `npm ci` deletes it.
const cache = join(root, 'node_modules/.cache/edge-redlock')

const exists = async (path: string): Promise<boolean> => {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}

/** @throws if the folder is not a git clone, or lacks the commit. The message contains instructions. */
const checkHistory = async (repository: string, commit: string): Promise<void> => {
  const git = execa({ cwd: repository, reject: false })
  const { failed } = await git`git cat-file -e ${commit}^{commit}`
  if (!failed) return
  const { stdout } = await git`git rev-parse --is-shallow-repository`
  const fix =
    stdout === 'true'
      ? 'This clone is shallow: run `git fetch --unshallow`.'
      : stdout === 'false'
        ? `Run \`git fetch origin ${commit}\`.`
        : 'This is no git clone: clone the repository with its history.'
  throw new Error(`The last release, commit ${commit.slice(0, 7)}, is not in the history. ${fix}`)
}

/**
 * Builds the last release, unless it has already been built.
 *
 * @param given.repository - The clone whose history contains the release. Default: this one.
 * @returns the folder of the package, with its `dist`.
 * @throws if the history does not contain the release.
 */
export const buildLastRelease = async ({
  repository = root,
  commit = lastRelease,
}: { repository?: string; commit?: string } = {}): Promise<string> => {
  const built = join(cache, commit)
  if (repository === root && (await exists(built))) return built
  await checkHistory(repository, commit)
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'build-'))
  try {
    const files = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
    await execa('git', ['archive', commit, ...files], { cwd: repository, encoding: 'buffer' }).pipe(
      'tar',
      ['-x', '-C', directory],
    )
    await execa('tsc', ['-p', 'tsconfig.build.json'], {
      cwd: directory,
      preferLocal: true,
      localDir: root,
      all: true,
    })
    // Another process may have built the release in the meantime.
    if (!(await exists(built))) await rename(directory, built)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  return built
}
