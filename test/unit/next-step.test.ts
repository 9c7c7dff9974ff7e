import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runTranscript } from './next-step/run.ts'

// Each file of ./next-step shows one kind of situation. `npx vitest run --project node
// test/unit/next-step.test.ts -u` writes the results of all lines anew.

const folder = join(import.meta.dirname, 'next-step')

describe('the steps of a ballot', () => {
  it.each(globSync('*.txt', { cwd: folder }).sort())('are those of %s', async (name) => {
    const path = join(folder, name)
    const transcript = runTranscript(readFileSync(path, 'utf8'))
    await expect(transcript).toMatchFileSnapshot(path)
  })
})

describe('a transcript', () => {
  it.each([
    ['an unknown event', '  5  node 0 exploded', 'line 3: unknown event'],
    ['an unknown node', '  5  node 7 granted', 'line 3: node 7 has no request'],
    ['a time in the past', '  5  node 0 granted\n  4  node 1 granted', 'line 4: goes back'],
    ['a timer that nobody has set', '  5  timer', 'line 3: no timer is due'],
    ['a timer that is left out', '  300  node 0 granted', 'line 3: nothing happens at 250'],
    ['an answer to nothing', '  5  node 0 granted\n  6  node 0 granted', 'line 4: node 0 has no'],
    ['a second start', '  5  start', 'line 3: start comes first'],
  ])('must not have %s', (_, events, message) => {
    const source = `acquire, 3 nodes\n  0  start\n${events}`
    expect(() => runTranscript(source)).toThrow(message)
  })

  it('ends with its result', () => {
    const source = 'acquire, 1 nodes\n 0 start\n 5 node 0 granted\n 6 timer'
    expect(() => runTranscript(source)).toThrow('line 4: the ballot is over')
  })
})
