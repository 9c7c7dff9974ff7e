import { defineConfig } from 'vitest/config'

// Apart from the other tests, since the frameworks are installed in this folder only.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 60_000,
    maxConcurrency: 40,
  },
})
