import type { Health, Phase, Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'

/** A lock or a slot on a node at a moment. */
export type SlotCard = {
  readonly holder: number | undefined
  /** Ms until that lock expires. */
  readonly left: number
  readonly fence: number | undefined
}

/** A node at a moment, as its card shows it. */
export type NodeCard = {
  readonly health: Health
  /** The lock, or its slots. */
  readonly slots: readonly SlotCard[]
  /** The client whose answer it has recorded. */
  readonly answer: number | undefined
  /** The clients that wait in its queue. */
  readonly queue: readonly number[]
  /** Ms for which it abstains. */
  readonly abstains: number
}

/** A client at a moment; `phase` is undefined before it clicks. */
export type ClientCard = {
  readonly phase: Phase | undefined
  readonly token: number | undefined
  /** Whether it is certain to hold the lock. */
  readonly isHolder: boolean
  /** The slot that it holds; 0 of a lock without a limit. */
  readonly slot: number | undefined
}

/** The store at a moment: the last write that it accepted. */
export type StoreCard = { readonly writer: number; readonly token: number } | undefined

export const nodesAt = ({ nodes }: Recording, time: number): readonly NodeCard[] =>
  Array.from({ length: nodeCount }, (_, node) => {
    const state = nodes.findLast((one) => one.node === node && one.at <= time)!
    return {
      health: state.health,
      slots: state.slots.map((slot): SlotCard => {
        const left = slot.holder === undefined ? 0 : Math.max(0, slot.expiresAt - time)
        return { holder: left > 0 ? slot.holder : undefined, left, fence: slot.fence }
      }),
      answer: state.answer,
      queue: state.queue,
      abstains: Math.max(0, state.abstainsUntil - time),
    }
  })

export const clientsAt = (
  { clients, phases, facts, holds }: Recording,
  time: number,
): readonly ClientCard[] =>
  Array.from({ length: clients }, (_, client) => {
    const phase = phases.findLast((one) => one.client === client && one.at <= time)?.phase
    const fact = facts.find(
      (one) => one.type === 'token' && one.client === client && one.at <= time,
    )
    const hold = holds.find((one) => one.client === client && one.from <= time && time < one.to)
    return {
      phase,
      isHolder: hold !== undefined,
      slot: hold?.slot,
      token: fact?.type === 'token' ? fact.token : undefined,
    }
  })

export const storeAt = ({ store }: Recording, time: number): StoreCard =>
  store.findLast(({ at }) => at <= time)
