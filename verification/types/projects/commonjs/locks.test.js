const { Redlock } = require('edge-redlock')
const { memoryNodes } = require('edge-redlock/testing')

test('acquires and releases', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const lock = await redlock.acquire('a')
  expect(await lock.release()).toBe('released')
})
