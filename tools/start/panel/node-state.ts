import type { ClusterNode } from '../../servers/cluster.ts'

/**
 * A lock or a throttle on one node, or the claim or record of an idempotent request. `left` is in ms, and `holder` is
 * the beginning of its value.
 */
export type HeldKey = {
  readonly kind: 'lock' | 'throttle' | 'claim' | 'record'
  readonly key: string
  readonly holder: string
  readonly left: number
}

/** The state of a node. `frozen`: no reply. `down`: the gateway replies that Redis is unreachable. */
export type NodeState =
  | { readonly status: 'down' | 'frozen' }
  | { readonly status: 'up'; readonly keys: readonly HeldKey[] }

// In ms. A node that is slower counts as frozen until it replies again.
const patience = 1000

type Reply = { readonly result?: unknown; readonly error?: string }

const pipeline = async (
  { url, token }: ClusterNode,
  commands: readonly (readonly string[])[],
): Promise<unknown[]> => {
  const response = await fetch(`${url}/pipeline`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(commands),
    signal: AbortSignal.timeout(patience),
  })
  const replies = (await response.json()) as Reply[]
  return replies.map(({ result, error }) => {
    if (error !== undefined) throw new Error(error)
    return result
  })
}

// src/protocol/keys.ts defines the names of Redis keys.
const kinds = { 'lock:l:': 'lock', 'lock:t:': 'throttle', 'lock:r:': 'claim' } as const

const kindOf = (name: string): HeldKey['kind'] | undefined =>
  kinds[name.slice(0, 7) as keyof typeof kinds]

/** The kind of a key with this value. A claim and its record share a key, so the value distinguishes them. */
const kindWith = (name: string, value: string): HeldKey['kind'] =>
  kindOf(name) === 'claim' && value.split(' ')[1] === 'd' ? 'record' : kindOf(name)!

/** Reads the keys of a node. The key that expires last comes first. */
export const readNode = async (node: ClusterNode): Promise<NodeState> => {
  try {
    const [found] = (await pipeline(node, [['KEYS', 'lock:*']])) as [string[]]
    const names = found.filter(kindOf)
    if (names.length === 0) return { status: 'up', keys: [] }
    const commands = names.flatMap((name) => [
      ['PTTL', name],
      ['GET', name],
    ])
    const replies = await pipeline(node, commands)
    const keys = names.flatMap((name, index): HeldKey[] => {
      const left = Number(replies[2 * index])
      const value = replies[2 * index + 1]
      if (typeof value !== 'string' || left <= 0) return []
      return [{ kind: kindWith(name, value), key: name.slice(7), holder: value.slice(0, 8), left }]
    })
    return { status: 'up', keys: keys.sort((a, b) => b.left - a.left) }
  } catch (error) {
    return { status: (error as Error).name === 'TimeoutError' ? 'frozen' : 'down' }
  }
}
