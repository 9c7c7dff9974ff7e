import { cp, mkdir, mkdtempDisposable, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execa } from 'execa'

/**
 * Packs the built package, and unpacks it where the projects below the folder can resolve it. If `tarball` is given,
 * unpacks that instead.
 */
export const installPackage = async (folder: string, tarball?: string): Promise<void> => {
  const root = resolve(import.meta.dirname, '../..')
  const target = join(folder, 'node_modules/edge-redlock')
  const temporary = await mkdtemp(join(tmpdir(), 'edge-redlock-package-'))
  try {
    let file = tarball
    if (!file) {
      const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', temporary]
      const { stdout } = await execa({ cwd: root })`npm ${pack}`
      file = join(temporary, stdout.trim())
    }
    await rm(target, { recursive: true, force: true })
    await mkdir(target, { recursive: true })
    await execa`tar -xzf ${file} --strip-components 1 -C ${target}`
  } finally {
    await rm(temporary, { recursive: true })
  }
}

/** Copies a project to a new folder, in which it can resolve only the package. */
export const copyAlone = async (
  project: string,
): Promise<Awaited<ReturnType<typeof mkdtempDisposable>>> => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'edge-redlock-alone-'))
  await cp(project, folder.path, { recursive: true })
  await installPackage(folder.path)
  return folder
}
