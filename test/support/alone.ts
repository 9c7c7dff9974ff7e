import { afterAll, vi } from 'vitest'

// Many files run in one process, since a process for each takes a third of the processor time. Each file finds
// modules that nobody has used, and globals, timers and variables of the environment as they are in a fresh one.

const globals = Object.getOwnPropertyDescriptors(globalThis)
const methods = { ...console }
const variables = { ...process.env }

// Vitest keeps its own state there.
const isOurs = (key: string | symbol): boolean => !String(key).includes('__')

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const key of Reflect.ownKeys(globalThis).filter(isOurs)) {
    const descriptor = Reflect.get(globals, key) as PropertyDescriptor | undefined
    if (descriptor) Object.defineProperty(globalThis, key, descriptor)
    else Reflect.deleteProperty(globalThis, key)
  }
  Object.assign(console, methods)
  for (const name of Object.keys(process.env)) {
    if (!(name in variables)) delete process.env[name]
  }
  Object.assign(process.env, variables)
  vi.resetModules()
})
