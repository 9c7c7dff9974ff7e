import { describe, expect, it } from 'vitest'
import { memoryOf, noteClosed } from '../../src/isolate.ts'
import { restNode } from '../../src/index.ts'
import { memoryNode } from '../../src/testing/index.ts'

const node = (name: string, token = 't'): ReturnType<typeof restNode> =>
  restNode({ url: `https://${name}.example`, token })

describe('what an isolate remembers', () => {
  it('is the same for the same nodes, tokens and prefix, whoever made them', () => {
    expect(memoryOf([node('a'), node('b')], 'p:')).toBe(memoryOf([node('a'), node('b')], 'p:'))
    const memory = memoryOf([node('a')], 'p:')
    expect(memoryOf([node('a')], 'q:')).not.toBe(memory)
    expect(memoryOf([node('a', 'u')], 'p:')).not.toBe(memory)
    expect(memoryOf([node('b')], 'p:')).not.toBe(memory)
    const custom = { url: 'https://a.example', token: 't' }
    const one = restNode({ ...custom, fetch: async () => new Response() })
    const other = restNode({ ...custom, fetch: async () => new Response() })
    expect(memoryOf([one], 'p:')).not.toBe(memory)
    expect(memoryOf([one], 'p:')).toBe(memoryOf([one], 'p:'))
    expect(memoryOf([other], 'p:')).not.toBe(memoryOf([one], 'p:'))
  })

  it('is nothing for nodes that do not say which server they are', () => {
    const nodes = [memoryNode()]
    expect(memoryOf(nodes, 'p:')).not.toBe(memoryOf(nodes, 'p:'))
    expect(memoryOf(nodes, 'p:').closed).toBeUndefined()
  })

  it('shows no secret', () => {
    expect(JSON.stringify(node('a', 'a-very-secret-token'))).not.toContain('secret')
  })

  it('is capped: the oldest goes first', () => {
    const memory = memoryOf([node('capped')], 'p:')
    noteClosed(memory, 'kept', () => 1)
    for (let index = 0; index < 9_999; index++) noteClosed(memory, `window ${index}`, () => 1)
    expect(memory.closed!.size).toBe(10_000)
    noteClosed(memory, 'kept', () => 2)
    noteClosed(memory, 'one more', () => 1)
    expect(memory.closed!.size).toBe(10_000)
    expect(memory.closed!.has('kept')).toBe(true)
    expect(memory.closed!.has('window 0')).toBe(false)
    for (let index = 0; index < 200; index++) memoryOf([node(`n${index}`)], 'p:')
    expect(memoryOf([node('capped')], 'p:')).not.toBe(memory)
  })
})
