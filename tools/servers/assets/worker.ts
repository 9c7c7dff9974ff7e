type Asset = { readonly type: string; readonly body: string }

type Env = {
  readonly ASSETS: Readonly<Record<string, Asset>>
  readonly WORKER: { readonly fetch: (request: Request) => Promise<Response> }
}

/** Serves the static assets of a Worker, and passes other requests to the Worker, as Cloudflare does. */
export default {
  fetch: (request: Request, { ASSETS, WORKER }: Env): Response | Promise<Response> => {
    const { pathname } = new URL(request.url)
    const asset = Object.hasOwn(ASSETS, pathname) ? ASSETS[pathname] : undefined
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!asset || !isRead) return WORKER.fetch(request)
    const headers = { 'content-type': asset.type, 'cache-control': 'no-store' }
    return new Response(request.method === 'HEAD' ? null : asset.body, { headers })
  },
}
