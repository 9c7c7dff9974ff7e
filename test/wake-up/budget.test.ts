import { describe, expect, it } from 'vitest'
import { Redlock, type RestNodeOptions, withWakeUp } from '../../src/index.ts'
import { command, freshKey } from '../support/nodes.ts'
import { firstOf, over } from './waiters.ts'
import { realNodes } from '../support/real-nodes.ts'

const nodes = realNodes.slice(0, 3)

describe('the budget of a call that waits', () => {
  it('includes the requests for messages, also where messages wake it again and again', async () => {
    let requests = 0
    let channel: string | undefined
    const counted = over(nodes, ({ url }, send) => {
      requests++
      const [, name] = /\/subscribe\/(.*)$/.exec(url) ?? []
      if (name) channel = decodeURIComponent(name)
      return send()
    })
    const key = freshKey()
    const held = await new Redlock({ nodes }).acquire(key, { ttl: 60_000 })
    const budget = 60
    const retry = { delay: 60, maxDelay: 61 }
    const call = withWakeUp(new Redlock({ nodes: counted, budget, retry }))
    const state = { outcome: '' }
    void call.acquire(key, { wait: 60_000 }).then(
      () => (state.outcome = 'acquired'),
      () => (state.outcome = 'rejected'),
    )
    while (state.outcome === '') {
      if (channel) await command(firstOf(nodes), 'PUBLISH', channel, 'wake')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(state.outcome).toBe('rejected')
    await held.release()
    // Leaving the queue may still be under way when the call is over.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(requests).toBeGreaterThan(12)
    expect(requests).toBeLessThanOrEqual(budget)
  })

  it('includes the requests that send a script again', async () => {
    const state = { messages: 0, outcome: '' }
    let channel: string | undefined
    const [first, ...others] = nodes.toSorted((a, b) => (a.url < b.url ? -1 : 1))
    const counted: RestNodeOptions = {
      ...first!,
      fetch: async (url, init) => {
        const [, name] = /\/subscribe\/(.*)$/.exec(url as string) ?? []
        if (name) channel = decodeURIComponent(name)
        const words = name ? [] : (JSON.parse(init!.body as string) as unknown[])
        const operation = words[3 + Number(words[2])]
        if (name || operation === 'w' || operation === 'l') {
          state.messages++
          // As from a server that has just been started.
          const error = 'NOSCRIPT No matching script. Please use EVAL.'
          if (words[0] === 'EVALSHA') return Response.json({ error }, { status: 400 })
        }
        return fetch(url, init)
      },
    }
    const key = freshKey()
    const held = await new Redlock({ nodes }).acquire(key, { ttl: 60_000 })
    const call = withWakeUp(new Redlock({ nodes: [counted, ...others], budget: 60 }))
    const waiting = call.acquire(key, { wait: 4_000 }).then(
      () => (state.outcome = 'acquired'),
      () => (state.outcome = 'rejected'),
    )
    while (state.outcome === '') {
      if (channel) await command(first!, 'PUBLISH', channel, 'wake')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await waiting).toBe('rejected')
    await held.release()
    // Leaving the queue may still be under way when the call is over.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(state.messages).toBeGreaterThan(3)
    expect(state.messages).toBeLessThanOrEqual(6)
  })
})
