import { settingsFromParent } from '../../tools/child-process.ts'
import { behaviours } from './behaviours/all.ts'
import { contestants } from './contestants/all.ts'
import { type Address, inspectServers } from './nodes.ts'
import type { Observation } from './observation.ts'
import { observe } from './observe.ts'
import { countUnhandled } from './unhandled.ts'

// The process of one contestant, which ends with the last case or with its parent. Unhandled rejections, changes of
// the global fetch and hot loops of a library stay inside it.

/** The cases that a process runs. */
export type Task = {
  readonly contestant: string
  readonly behaviours: readonly string[]
  readonly addresses: readonly Address[]
}

/** The messages of the process for each case, in turn. */
export type Message = { readonly behaviour: string } & (
  | { readonly observation: Observation }
  | { readonly broken: string }
)

const send = (message: object): Promise<void> =>
  new Promise((resolve) => process.send!(message, () => resolve()))

countUnhandled()
// Warnings of a library are ignored.
console.warn = () => {}
const task = await settingsFromParent<Task>()
try {
  const contestant = contestants.find(({ name }) => name === task.contestant)!
  const servers = await inspectServers(task.addresses)
  await send({ isUp: true })
  for (const behaviour of behaviours.filter(({ id }) => task.behaviours.includes(id))) {
    const { id } = behaviour
    const message: Message = await observe(behaviour, contestant, servers).then(
      (observation) => ({ behaviour: id, observation }),
      (error: Error) => ({ behaviour: id, broken: error.stack ?? String(error) }),
    )
    await send(message)
  }
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
