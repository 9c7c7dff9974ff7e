import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import { anyPort } from '../../tools/servers/free-port.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the built site is served, without a slash at the end. */
    SITE_URL: string
  }
}

// Ms within which the server of the site starts, also on a busy machine.
const startTime = 60_000

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const stop = new AbortController()
let server: Promise<unknown> | undefined

/**
 * Builds the site and serves it. `SITE_URL=http://localhost:5173` tests a site that is served already, as
 * `npm run docs -- serve` does.
 */
export const setup = async (project: TestProject): Promise<void> => {
  const served = process.env['SITE_URL']
  if (served) return project.provide('SITE_URL', served)
  const build = ['run', '--silent', 'docs', '--', 'build']
  await execa('npm', build, { stdout: 'ignore', stderr: 'inherit' })
  const port = await anyPort()
  const url = `http://localhost:${port}`
  const serving = execa(
    'docs/node_modules/.bin/vitepress',
    ['serve', 'docs', '--port', `${port}`],
    {
      cancelSignal: stop.signal,
      reject: false,
      all: true,
    },
  )
  server = serving
  let hasEnded = false
  void serving.then(() => (hasEnded = true))
  const deadline = Date.now() + startTime
  while (!(await answers(url))) {
    if (hasEnded) throw new Error(`the site is not served: ${(await serving).all}`)
    if (Date.now() > deadline) throw new Error(`the site is not served within ${startTime} ms`)
    await setTimeout(100)
  }
  project.provide('SITE_URL', url)
}

export const teardown = async (): Promise<void> => {
  stop.abort()
  await server
}
