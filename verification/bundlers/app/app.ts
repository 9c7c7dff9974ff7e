import { Redlock, type RestNodeOptions } from '../../../src/index.ts'
import { core } from '../../runtimes/core.ts'
import { entries } from '../../runtimes/entries.ts'
import { contention, holding } from './checks.ts'
import { crowd } from './crowd.ts'
import { otherEntries } from './other-entries.ts'

// The app that every bundler builds. Its imports resolve to the packed files.

const checks = { ...core, ...entries, ...otherEntries, ...contention, ...holding }

/** The bindings of a Worker. Elsewhere the nodes are in the environment. */
export type Bindings = { readonly REDLOCK_NODES?: string }

const nodesOf = (env?: Bindings): readonly RestNodeOptions[] => {
  const { process } = globalThis as { process?: { env: Bindings } }
  return JSON.parse((env ?? process!.env).REDLOCK_NODES!) as RestNodeOptions[]
}

/** Runs one check inside the bundle. Answers `ok`, or with the error. */
const runCheck = async (name: string, key: string, nodes: readonly RestNodeOptions[]) => {
  const works: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>): void => void works.push(work)
  const client = (): Redlock => new Redlock({ nodes, ttl: 3000, warnings: false })
  const given = { redlock: client(), other: client(), key, waitUntil, nodes }
  try {
    const text = await checks[name]!(given)
    await Promise.all(works)
    return new Response(text)
  } catch (error) {
    return new Response(`${String(error)}\n${(error as Error).stack}`, { status: 500 })
  }
}

/** Answers `/check/NAME/KEY`, and one request of a crowd at `/crowd/KIND/KEY`. */
export const app = async (request: Request, env?: Bindings): Promise<Response> => {
  const path = new URL(request.url).pathname.split('/').map((part) => decodeURIComponent(part))
  const [, kind, name, key] = path
  const nodes = nodesOf(env)
  if (kind === 'check') return runCheck(name!, key!, nodes)
  if (kind === 'crowd') return crowd(name!, key!, nodes, request)
  return new Response('ready')
}
