import { readFile, writeFile } from 'node:fs/promises'

const folder = 'examples/durable-objects'

const place = /(<!-- deploy button -->\n).*?(<!-- end of deploy button -->)/s

/**
 * Writes the button that deploys the Durable Objects example from the repository. Also adds the package to the
 * example's dependencies, which is possible only once the package is published.
 */
export const setDeployButton = async (page: string, version: string): Promise<void> => {
  const readme = `${folder}/README.md`
  const url = `https://deploy.workers.cloudflare.com/?url=${page}/tree/main/${folder}`
  const button = `[![Deploy to Cloudflare](https://deploy.workers.cloudflare.com/button)](${url})\n`
  const text = await readFile(readme, 'utf8')
  await writeFile(readme, text.replace(place, `$1${button}$2`))
  const path = `${folder}/package.json`
  const manifest = JSON.parse(await readFile(path, 'utf8')) as { dependencies: object }
  const dependencies = { 'edge-redlock': `^${version}`, ...manifest.dependencies }
  await writeFile(path, `${JSON.stringify({ ...manifest, dependencies }, null, 2)}\n`)
}
