import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

// The part of Express that examples/starters/express uses: tests run without its packages.

/**
 * @typedef {import('node:http').IncomingMessage & { get: (name: string) => unknown }} Request
 *
 * @typedef {import('node:http').ServerResponse & {
 *   status: (status: number) => Response
 *   send: (text: string) => void
 *   json: (body: unknown) => void
 * }} Response
 *
 * @typedef {(req: Request, res: Response, next: () => unknown) => unknown} Middleware
 */

const createApp = () => {
  /** @type {{ path?: string; middleware: Middleware }[]} */
  const layers = []

  /** @type {(req: Request, res: Response, index?: number) => unknown} */
  const run = (req, res, index = 0) => {
    const layer = layers[index]
    if (!layer) return res.writeHead(404).end()
    const next = () => run(req, res, index + 1)
    const isFor = !layer.path || (req.method === 'POST' && layer.path === req.url)
    return isFor ? layer.middleware(req, res, next) : next()
  }

  const server = createServer((request, response) => {
    const req = Object.assign(request, {
      get: (/** @type {string} */ name) => request.headers[name],
    })
    /** @type {Response} */
    const res = Object.assign(response, {
      status: (/** @type {number} */ status) => Object.assign(res, { statusCode: status }),
      send: (/** @type {string} */ text) => void res.end(text),
      json: (/** @type {unknown} */ body) => void res.end(JSON.stringify(body)),
    })
    void run(req, res)
  })

  return {
    /** @param {Middleware} middleware */
    use: (middleware) => layers.push({ middleware }),
    /** @type {(path: string, ...all: Middleware[]) => void} */
    post: (path, ...all) => all.forEach((middleware) => layers.push({ path, middleware })),
    listen: server.listen.bind(server),
  }
}

/** @type {(folder: string) => Middleware} */
const serveStatic = (folder) => async (req, res, next) =>
  req.url === '/' ? res.end(await readFile(`${folder}/index.html`)) : next()

export { createApp as default }
createApp.static = serveStatic
