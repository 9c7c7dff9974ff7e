import type { Renaming } from './renaming.ts'
import type { World } from './world.ts'

const permutationsOf = (items: readonly number[]): number[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((first) =>
        permutationsOf(items.filter((item) => item !== first)).map((rest) => [first].concat(rest)),
      )

const known = new WeakMap<World, readonly Renaming[]>()

/**
 * The renamings that leave the behavior of a world as it is. Clients with the same program and the same clock behave
 * alike. So the search needs only one of the states that differ only in the names of clients.
 */
export const renamingsOf = (world: World): readonly Renaming[] => {
  const found = known.get(world)
  if (found) return found
  const { programs, clientRates } = world
  const isAlike = (a: number, b: number): boolean =>
    programs[a] === programs[b] && clientRates?.[a] === clientRates?.[b]
  const all = permutationsOf([...programs.keys()])
    .filter((order) => order.every((to, from) => isAlike(from, to)))
    .map((order): Renaming => {
      const isSame = order.every((to, from) => to === from)
      return isSame
        ? (text) => text
        : (text) => text.replace(/c(?=\d)(\d)/g, (_, n) => `c${order[+n]}`)
    })
  known.set(world, all)
  return all
}
