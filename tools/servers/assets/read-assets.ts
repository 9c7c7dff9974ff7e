import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** A file that is served along with a Worker. */
export type Asset = { readonly type: string; readonly body: string }

/** Static assets by path. As on Cloudflare, the paths of pages have no extension, and `/` is the index page. */
export type Assets = Readonly<Record<string, Asset>>

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** Reads a directory of static assets, such as the one in `[assets]` of a `wrangler.toml`. */
export const readAssets = async (directory: string): Promise<Assets> => {
  const names = await readdir(directory)
  const entries = names.map(async (name) => {
    const type = types[extname(name)]
    if (!type) throw new Error(`${join(directory, name)}: no content type is known for this file`)
    const body = await readFile(join(directory, name), 'utf8')
    const path = name === 'index.html' ? '/' : `/${name.replace(/\.html$/, '')}`
    return [path, { type, body }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
