import { expect, it } from 'vitest'
import { Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { hangUntilAborted, sleep } from '../../tools/faults.ts'
import { nodeThrough } from '../../tools/node-through.ts'

// `crowds.test.ts` has all cases, on Node.

it('lets sixty users pass, after one lost reply, while another node hangs', async () => {
  let [losesReply, hangs] = [false, false]
  const [one, two, three] = memoryNodes(3)
  const forgetful = nodeThrough(one!, async (call, send) => {
    const reply = await send()
    if (!losesReply) return reply
    losesReply = false
    return hangUntilAborted(call)
  })
  const hanging = nodeThrough(two!, (call, send) => (hangs ? hangUntilAborted(call) : send()))
  const redlock = new Redlock({ nodes: [forgetful, hanging, three!], warnings: false })
  const submit = (user: string) => throttle(redlock, `submit ${user}`, { window: 5_000 })
  await submit('warm-up')
  losesReply = true
  await submit('lost')
  await sleep(620)
  hangs = true
  const users = Array.from({ length: 60 }, (_, user) => submit(`${user}`))
  const results = await Promise.all(users)
  expect(results.filter(({ ok }) => !ok)).toEqual([])
})
