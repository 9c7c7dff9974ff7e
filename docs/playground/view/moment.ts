import type { Health, Phase, Recording } from '../world/recording.ts'
import { nodeCount } from '../world/settings.ts'

/** A node at a moment, as its card shows it. */
export type NodeCard = {
  readonly health: Health
  /** The client whose lock it holds. */
  readonly holder: number | undefined
  /** The client whose answer it has recorded. */
  readonly answer: number | undefined
  /** Ms until that lock expires. */
  readonly left: number
  readonly fence: number | undefined
  /** Ms for which it abstains. */
  readonly abstains: number
}

/** A client at a moment; `phase` is undefined before it clicks. */
export type ClientCard = {
  readonly phase: Phase | undefined
  readonly token: number | undefined
  /** Whether it is certain to hold the lock. */
  readonly isHolder: boolean
}

/** The store at a moment: the last write that it accepted. */
export type StoreCard = { readonly writer: number; readonly token: number } | undefined

export const nodesAt = ({ nodes }: Recording, time: number): readonly NodeCard[] =>
  Array.from({ length: nodeCount }, (_, node) => {
    const state = nodes.findLast((one) => one.node === node && one.at <= time)!
    const left = state.holder === undefined ? 0 : Math.max(0, state.expiresAt - time)
    return {
      health: state.health,
      holder: left > 0 ? state.holder : undefined,
      answer: state.answer,
      left,
      fence: state.fence,
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
    const isHolder = holds.some((one) => one.client === client && one.from <= time && time < one.to)
    return { phase, isHolder, token: fact?.type === 'token' ? fact.token : undefined }
  })

export const storeAt = ({ store }: Recording, time: number): StoreCard =>
  store.findLast(({ at }) => at <= time)
