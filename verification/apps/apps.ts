import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The kinds of handlers in an app, by work and protection. Each is the path of a route. */
export type Kind =
  // Handlers under withIdempotency() or idempotent().
  | 'return'
  | 'redirect'
  | 'throw'
  /** Performs its effect, then throws an error, with `failures: 'replay'`. */
  | 'replay'
  | 'stream'
  /** Throws an exception of the framework, whose status is 422. */
  | 'exception'
  /** Sets its status on the event. */
  | 'status'
  /** Returns a Response that redirects. */
  | 'response-redirect'
  /** The action of a page, which redirects. */
  | 'page'
  /** The same, protected by middleware of the route. */
  | 'middleware'
  /** The action of a form, which redirects inside once(). */
  | 'form'
  /** The endpoint of the guide. */
  | 'orders'
  /** The action of a form in the guide, which redirects. */
  | 'checkout'
  // Handlers under withLock() or lock(), and withThrottle() or throttle().
  | 'lock'
  | 'throttle'

/** An app of one framework. Its sources are in the folder with its name. */
export type App = {
  readonly name: string
  readonly title: string
  /** The packages whose versions matter. */
  readonly packages: readonly string[]
  readonly kinds: readonly Kind[]
  /** The sections of docs/guides/meta-frameworks.md whose files the app contains. */
  readonly guide?: readonly string[]
  /** The status of a handler that returns. */
  readonly created: number
  /** The status of a handler that streams. Default: 200. */
  readonly streamed?: number
  /** The status of the framework's own redirect. */
  readonly redirect: number
  /** The status of its redirect after the form of the guide. Default: 303. */
  readonly submitted?: number
  /** The command of a production build, which runs in the folder of the app. Koa needs none. */
  readonly build?: string
  /** The Node arguments that serve the result, in the folder of the app, on a port. */
  readonly serve: (folder: string, port: number) => readonly string[]
}

/**
 * The folder with the apps and their frameworks, separate because the harness may need other versions of a package.
 */
export const projects = join(import.meta.dirname, 'projects')

const modules = join(projects, 'node_modules')
const require = createRequire(import.meta.url)

const common = ['return', 'redirect', 'throw', 'replay', 'stream', 'lock', 'throttle'] as const

/** The arguments that serve a module with a fetch handler. */
const serveFetch = (entry: string, port: number): string[] => [
  join(modules, 'srvx/bin/srvx.mjs'),
  'serve',
  '--prod',
  '--host',
  '127.0.0.1',
  '--port',
  `${port}`,
  '--entry',
  entry,
]

/** The frameworks of users. */
export const apps: readonly App[] = [
  {
    name: 'next',
    title: 'Next.js',
    packages: ['next'],
    kinds: [...common, 'form', 'checkout'],
    guide: ['Next.js'],
    created: 201,
    redirect: 307,
    build: 'next build',
    serve: (folder, port) => [
      join(modules, 'next/dist/bin/next'),
      'start',
      folder,
      '-H',
      '127.0.0.1',
      '-p',
      `${port}`,
    ],
  },
  {
    name: 'sveltekit',
    title: 'SvelteKit',
    packages: ['@sveltejs/kit', '@sveltejs/adapter-node'],
    kinds: [...common, 'form', 'orders', 'checkout'],
    guide: ['Endpoints', 'SvelteKit'],
    created: 201,
    redirect: 303,
    build: 'vite build',
    serve: (folder) => [join(folder, 'build/index.js')],
  },
  {
    name: 'react-router',
    title: 'React Router',
    packages: ['react-router'],
    kinds: [...common, 'page', 'middleware', 'form', 'checkout'],
    guide: ['React Router'],
    created: 201,
    redirect: 302,
    submitted: 302,
    build: 'react-router build',
    serve: (folder) => [
      join(modules, '@react-router/serve/bin.cjs'),
      join(folder, 'build/server/index.js'),
    ],
  },
  {
    name: 'nuxt',
    title: 'Nuxt',
    packages: ['nuxt', 'nitropack', 'h3'],
    kinds: [...common, 'status', 'response-redirect', 'checkout'],
    guide: ['Nuxt'],
    created: 200,
    redirect: 303,
    build: 'nuxt build',
    serve: (folder) => [join(folder, '.output/server/index.mjs')],
  },
  {
    name: 'astro',
    title: 'Astro',
    packages: ['astro', '@astrojs/node'],
    kinds: [...common, 'checkout'],
    guide: ['Astro'],
    created: 201,
    redirect: 303,
    build: 'astro build',
    serve: (folder) => [join(folder, 'dist/server/entry.mjs')],
  },
  {
    name: 'solidstart',
    title: 'SolidStart',
    packages: ['@solidjs/start', '@solidjs/router'],
    kinds: [...common, 'form', 'checkout'],
    guide: ['SolidStart'],
    created: 201,
    redirect: 302,
    submitted: 302,
    build: 'vite build',
    serve: (folder, port) => serveFetch(join(folder, 'dist/server/entry-server.js'), port),
  },
  {
    name: 'tanstack',
    title: 'TanStack Start',
    packages: ['@tanstack/react-start'],
    kinds: [...common, 'form', 'checkout'],
    guide: ['TanStack Start'],
    created: 201,
    redirect: 307,
    build: 'vite build',
    serve: (folder, port) => serveFetch(join(folder, 'dist/server/server.js'), port),
  },
  {
    name: 'nest',
    title: 'NestJS',
    packages: ['@nestjs/core', 'express'],
    kinds: [...common, 'exception'],
    created: 201,
    streamed: 201,
    redirect: 303,
    build: 'tsc',
    serve: (folder) => [join(folder, 'dist/main.js')],
  },
  {
    name: 'koa',
    title: 'Koa',
    packages: ['koa'],
    kinds: common,
    created: 201,
    redirect: 302,
    serve: (folder) => [join(folder, 'server.js')],
  },
]

/** The exact versions of an app, for the report. */
export const versionsOf = ({ packages }: App): string =>
  packages
    .map(
      (name) =>
        `${name} ${(require(join(modules, name, 'package.json')) as { version: string }).version}`,
    )
    .join(', ')
