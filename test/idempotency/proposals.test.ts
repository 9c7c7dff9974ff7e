import { expect, it } from 'vitest'
import { type LockNode, Redlock } from '../../src/index.ts'
import type { KeyCommand } from '../../src/protocol/command.ts'
import { type MemoryNode, memoryNodes } from '../../src/entries/testing.ts'
import { nodeThrough } from '../../tools/node-through.ts'
import { appWith } from './app.ts'

// A record is written under a token, and that of the higher token counts. So two records with one token
// must be the same.

it('no token is used for two records, although a node forgets its promise', async () => {
  const [forgetful, lossy, late] = memoryNodes(3) as [MemoryNode, MemoryNode, MemoryNode]
  const records = new Map<string, Set<string>>()
  const completes = new Map<LockNode, number>()
  // A client with a fast clock has raised the counters.
  const ahead = Date.now() + 3_000
  const watch = (node: MemoryNode): LockNode =>
    nodeThrough(node, async ({ command }, send) => {
      const { keys, fences } = command as KeyCommand
      const [key, fence] = [keys[0]!, fences[0]!]
      if (!node.entries.has(fence) && !completes.has(node)) {
        node.entries.set(fence, { value: `${ahead} someone`, expiresAt: Infinity })
      }
      if (command.op === 'prepare' && node === lossy) throw new Error('lost')
      if (command.op === 'accept') {
        const { record } = command
        const [, token, content] = /^\S+ d (\d+) \S+ (.*)$/s.exec(record) as unknown as string[]
        records.set(token!, (records.get(token!) ?? new Set()).add(content!))
        const isFirst = !completes.has(node)
        completes.set(node, 1)
        if (isFirst && node === forgetful) node.entries.delete(fence)
        if (isFirst && node === late) {
          const other = record.replace(/^\S+ d \d+/, 'bbbbbbbb d 5')
          node.entries.set(key, { value: `${other} `, expiresAt: Date.now() + 60_000 })
          throw new Error('lost')
        }
      }
      return send()
    })
  const redlock = new Redlock({ nodes: [forgetful, lossy, late].map(watch), warnings: false })
  const app = appWith(redlock, () => Response.json({ id: 1 }, { status: 201 }))
  expect((await app.post('click')).status).toBe(201)
  expect(completes.size).toBe(3)
  for (const contents of records.values()) expect(contents.size).toBe(1)
  expect(records.size).toBeGreaterThan(1)
})
