import { stat } from 'node:fs/promises'
import { execa } from 'execa'

// Installs the dependencies of the site unless the installed ones are those of its lock file.

const timeOf = async (file: string): Promise<number> =>
  (await stat(file).catch(() => null))?.mtimeMs ?? 0

if (
  (await timeOf('docs/node_modules/.package-lock.json')) < (await timeOf('docs/package-lock.json'))
) {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await execa('npm', ['ci', '--prefix', 'docs', ...flags], { stdio: 'inherit' })
}
