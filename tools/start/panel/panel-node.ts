import { until } from '../../cli/until.ts'
import type { ClusterNode } from '../../servers/cluster.ts'
import { type NodeState, readNode } from './node-state.ts'

/** The actions that the panel offers for a node. */
export const actionNames = ['stop', 'start', 'freeze', 'resume'] as const
export type Action = (typeof actionNames)[number]

// In ms.
const startLimit = 10_000

/** A node that the panel displays and controls. */
export type PanelNode = {
  readonly read: () => Promise<NodeState>
  /** Runs an action. Actions run one after the other, and actions without effect are skipped. */
  readonly act: (action: Action) => Promise<void>
}

export const panelNode = (node: ClusterNode): PanelNode => {
  const { controls } = node
  // Do not read frozen nodes, because the panel would wait for them.
  let isFrozen = false
  const read = async (): Promise<NodeState> => (isFrozen ? { status: 'frozen' } : readNode(node))
  const run: Readonly<Record<Action, () => Promise<void>>> = {
    stop: async () => {
      await controls.crash()
      isFrozen = false
    },
    start: async () => {
      if ((await read()).status !== 'down') return
      await controls.restart()
      // Wait until the gateway has reconnected.
      await until(async () => (await read()).status === 'up', startLimit, 'The node did not start')
    },
    freeze: async () => {
      if ((await read()).status !== 'up') return
      controls.freeze()
      isFrozen = true
    },
    resume: async () => {
      controls.resume()
      isFrozen = false
    },
  }
  let turn: Promise<void> = Promise.resolve()
  return {
    read,
    act: (action) => {
      turn = turn.catch(() => {}).then(run[action])
      return turn
    },
  }
}
