import { behaviours } from './behaviours/all.ts'
import { contestants } from './contestants/all.ts'
import { type Address, lookInto } from './nodes.ts'
import type { Observation } from './observation.ts'
import { observe } from './run.ts'
import { countUnhandled } from './unhandled.ts'

/** What a process is asked to play. */
export type Task = {
  readonly contestant: string
  readonly behaviours: readonly string[]
  readonly addresses: readonly Address[]
}

/** What it sends back, one after the other. */
export type Message = { readonly behaviour: string } & (
  | { readonly observation: Observation }
  | { readonly broken: string }
)

const play = async (task: Task): Promise<void> => {
  const contestant = contestants.find(({ name }) => name === task.contestant)!
  const servers = await lookInto(task.addresses)
  for (const behaviour of behaviours.filter(({ id }) => task.behaviours.includes(id))) {
    const { id } = behaviour
    const message: Message = await observe(behaviour, contestant, servers).then(
      (observation) => ({ behaviour: id, observation }),
      (error: Error) => ({ behaviour: id, broken: error.stack ?? String(error) }),
    )
    await new Promise((resolve) => process.send!(message, resolve))
  }
}

// One contestant plays in one process of its own: its unhandled rejections, its global fetch and
// its hot loops are its own. Nothing of it may outlive the case list or the parent.
countUnhandled()
// What a library remarks on is not what it does.
console.warn = () => {}
process.once('disconnect', () => process.exit(1))
process.once('message', (task: Task) => {
  void play(task).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
