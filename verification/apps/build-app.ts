import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { anyPort } from '../../tools/servers/free-port.ts'
import { type Running, startServing } from '../../tools/servers/serving-process.ts'
import { type App, projects } from './apps.ts'
import { guideFiles } from './guide-files.ts'

const folderOf = ({ name }: App): string => join(projects, '.build', name)

/** Keeps the tools from prompting, sending telemetry and looking for updates. */
const environment = {
  CI: '1',
  NODE_ENV: 'production',
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
}

/** Creates the production build of an app. @throws with the log if the build fails. */
export const buildApp = async (app: App): Promise<void> => {
  const folder = folderOf(app)
  await rm(folder, { recursive: true, force: true })
  await cp(join(projects, app.name), folder, { recursive: true })
  await cp(join(projects, 'shared'), folder, { recursive: true })
  for (const { path, text } of await guideFiles(app.guide ?? [])) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  if (!app.build) return
  const options = { cwd: folder, preferLocal: true, env: environment, all: true } as const
  const { failed, all } = await execa({ ...options, reject: false })`${app.build.split(' ')}`
  if (failed) throw new Error(`${app.title} did not build:\n${all}`)
}

/** Starts a process of an app that has already been built. */
export const serveApp = async (app: App, env: Record<string, string>): Promise<Running> => {
  const port = await anyPort()
  // SvelteKit takes the protocol from a proxy header, and compares the origin of a form with its address.
  const address = { HOST: '127.0.0.1', PORT: `${port}`, PROTOCOL_HEADER: 'x-forwarded-proto' }
  return startServing({
    name: app.title,
    run: [process.execPath, ...app.serve(folderOf(app), port)],
    port,
    env: { ...environment, ...address, ...env },
  })
}
