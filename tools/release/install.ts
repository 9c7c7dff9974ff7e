import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

// Installs the dependencies of a folder with its own lockfile, unless the installed ones already match the lockfile:
// `node tools/release/install.ts FOLDER [flags of npm ci]`.

const [folder = '', ...flags] = process.argv.slice(2)

const timeOf = async (file: string): Promise<number> =>
  (await stat(join(folder, file)).catch(() => null))?.mtimeMs ?? 0

if ((await timeOf('node_modules/.package-lock.json')) < (await timeOf('package-lock.json'))) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  await execa('npm', ['ci', '--prefix', folder, ...flags, ...quiet], { stdio: 'inherit' })
}
