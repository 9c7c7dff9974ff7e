import { record } from './record/record.ts'
import { scenes } from './record/scenes.ts'
import type { Recording } from './recording.ts'

// The recording of the home page: the scene with one answer, while a node is down.

export declare const data: Recording

const scene = scenes.find(({ id }) => id === 'one-answer')!

/** Runs the library in the scene, and leaves out what follows the second answer: a release that node 2 does not get. */
const load = async (): Promise<Recording> => {
  const recording = await record({
    ...scene,
    id: 'two-clicks',
    play: (world) => {
      world.strike(1, { kind: 'refuses' }, 'is down')
      return scene.play(world)
    },
  })
  const end = recording.steps.findIndex(({ text }) => text.includes('gets the answer'))
  const steps = recording.steps.slice(0, end + 1)
  // Room for the label of the last bar.
  const length = recording.length + 10
  const bars = recording.bars.map((bar) => ({
    ...bar,
    to: bar.to === recording.length ? length : bar.to,
  }))
  return { ...recording, steps, bars, length }
}

export default { watch: ['./record/*.ts', '../../src/**/*.ts'], load }
