import { defineConfig } from 'vitest/config'

// Apart from the other tests, since the libraries are installed in verification/ only.
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 20_000 },
})
