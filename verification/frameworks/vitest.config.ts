import { defineConfig } from 'vitest/config'

// Separate from the other tests, because the frameworks are installed only in this folder.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 60_000,
    maxConcurrency: 40,
  },
})
