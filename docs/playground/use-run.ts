import { computed, onBeforeUnmount, onMounted, ref, shallowRef } from 'vue'
import { readLink, writeLink } from './link/link.ts'
import { narrate } from './story/narrate.ts'
import { makeTimeScale } from './view/time-scale.ts'
import type { Recording } from './world/recording.ts'
import { run } from './world/run.ts'
import type { Settings } from './world/settings.ts'

/**
 * The run of the page. Its settings are all of its state, and stand in the url: each change of them runs
 * the client again, in virtual time, and the page plays the recording.
 *
 * @param onRecorded - Called with each new recording, and the time to show of it.
 */
export const useRun = (onRecorded: (at: number) => void) => {
  const link = readLink(location.search)
  const settings = shallowRef<Settings>(link.settings)
  /** The errors in the url, as sentences. */
  const problems = ref(link.problems)
  const failure = ref('')
  const recording = shallowRef<Recording>()
  const story = computed(() => (recording.value ? narrate(recording.value) : []))
  const scale = computed(() => recording.value && makeTimeScale(recording.value))
  let runs = 0

  /** Runs the client with these settings, and shows the run from that time on. */
  const apply = async (next: Settings, at: number): Promise<void> => {
    const number = ++runs
    settings.value = next
    history.replaceState(history.state, '', `${location.pathname}?${writeLink(next)}`)
    try {
      const result = await run(next)
      // Another change may have overtaken this one.
      if (number !== runs) return
      recording.value = result
      failure.value = ''
      onRecorded(Math.min(at, result.end))
    } catch (error) {
      failure.value = String(error)
    }
  }
  const readAgain = (): void => {
    const { settings: next, problems: found } = readLink(location.search)
    problems.value = found
    void apply(next, 0)
  }
  onMounted(() => {
    addEventListener('popstate', readAgain)
    void apply(settings.value, 0)
  })
  onBeforeUnmount(() => removeEventListener('popstate', readAgain))

  return { settings, problems, failure, recording, story, scale, apply }
}
