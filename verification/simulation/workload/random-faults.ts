import type { Scene } from './simulated-client.ts'

/** Has something happen now and then, at random, until the end. */
const often = ({ world }: Scene, perSecond: number, end: number, happen: () => void): void => {
  if (perSecond === 0) return
  const next = (): void => {
    const delay = (-Math.log(1 - world.random.unit()) / perSecond) * 1000
    if (world.now() + delay > end) return
    world.after(delay, () => {
      happen()
      next()
    })
  }
  next()
}

/** Lets the weather of the history come over its processes, servers and the ways between them. */
export const breakLoose = (scene: Scene, end: number): void => {
  const { world, weather, servers, actors, network, recorder, longest } = scene
  const { random } = world
  const someone = (): (typeof actors)[number] => random.pick(actors)
  const begin = (rate: number, name: string, happen: () => void): void =>
    often(scene, rate, end, () => {
      recorder.met(name)
      happen()
    })
  begin(weather.cuts, 'a cut', () =>
    network.cut(someone().process.name, random.pick(servers).name, random.between(5, 2 * longest)),
  )
  begin(weather.hangs, 'a server that hangs', () =>
    network.hang(random.pick(servers).name, random.between(5, 2 * longest)),
  )
  begin(weather.flushes, 'scripts forgotten', () => random.pick(servers).flushScripts())
  begin(weather.pauses, 'a pause', () =>
    someone().process.pause(random.between(5, 3 * longest), random.chance(0.5)),
  )
  begin(weather.crashes, 'a crash', () => {
    const { process } = someone()
    world.trace.say(() => `${process.name} crashes`)
    process.kill()
  })
  begin(weather.processJumps, 'a clock of a process that jumps', () =>
    someone().process.jump(random.between(-2, 2) * longest),
  )
  begin(weather.nodeJumps, 'a clock of a node that jumps', () =>
    // Mostly forward, which lets go of locks too early.
    random.pick(servers).jump(random.between(-0.5, 1.5) * longest),
  )
}
