import { onBeforeUnmount, onMounted, ref } from 'vue'
import type { Step } from './story/step.ts'
import { advance, momentsOf, nextMoment, previousMoment, usualSpeed } from './view/playback.ts'
import type { TimeScale } from './view/time-scale.ts'

/** The played run: a time scale, and the steps on it. Undefined before the first run. */
export type Playable = {
  readonly scale: TimeScale
  readonly steps: readonly Step[]
  readonly end: number
}

// Those who prefer less motion see one step after the other instead of an animation, for so many ms each.
const stillTime = 2_000

// Ms. A page in the background gets no frames, and goes on where it was.
const longestFrame = 100

/** Plays a run, from place to place on its time scale. */
export const usePlayer = (playable: () => Playable | undefined) => {
  const place = ref(0)
  const isPlaying = ref(false)
  const speed = ref<number>(usualSpeed)
  /** Whether the visitor has done anything: only then does a screen reader read the sentences out. */
  const isTouched = ref(false)
  const still = matchMedia('(prefers-reduced-motion: reduce)')
  let [last, stepAt, frame] = [0, 0, 0]

  const time = (): number => playable()?.scale.timeAt(place.value) ?? 0
  const seek = (next: number): void => {
    isPlaying.value = false
    isTouched.value = true
    place.value = next
  }
  const play = (): void => {
    isTouched.value = true
    isPlaying.value = true
  }
  const next = ({ scale, steps, end }: Playable): number =>
    scale.placeOf(nextMoment(momentsOf(steps), time(), end))

  const tick = (at: number): void => {
    frame = requestAnimationFrame(tick)
    const elapsed = Math.min(longestFrame, at - last)
    last = at
    const played = playable()
    if (!isPlaying.value || !played) return
    if (!still.matches) place.value = advance(place.value, elapsed, speed.value, played.scale)
    else if (at >= stepAt) {
      stepAt = at + stillTime
      place.value = next(played)
    }
    if (place.value >= played.scale.length) isPlaying.value = false
  }
  onMounted(() => {
    isPlaying.value = !still.matches
    frame = requestAnimationFrame(tick)
  })
  onBeforeUnmount(() => cancelAnimationFrame(frame))

  return {
    place,
    isPlaying,
    speed,
    isTouched,
    time,
    seek,
    play,
    /** Plays, or pauses; at the end it plays again. */
    toggle: (): void => {
      if (isPlaying.value) isPlaying.value = false
      else {
        if (place.value >= (playable()?.scale.length ?? 0)) place.value = 0
        play()
      }
    },
    stepOn: (): void => seek(next(playable()!)),
    stepBack: (): void => {
      const { scale, steps } = playable()!
      seek(scale.placeOf(previousMoment(momentsOf(steps), time())))
    },
  }
}
