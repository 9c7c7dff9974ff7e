import { defineConfig } from 'vitest/config'

// Separate from the other tests, because the libraries are installed only in verification/.
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 20_000 },
})
