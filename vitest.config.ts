import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

// One cluster of real Redis servers serves every project: test/cluster.ts starts and ends it.
export default defineConfig({
  test: {
    globalSetup: ['test/cluster.ts'],
    // Most of the time the tests wait: two files at a time take little more than one.
    maxWorkers: 2,
    // Tests wait for conditions. This is for those that would wait for ever, also on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['**/*.workerd.test.ts'],
          setupFiles: ['test/secrets/watch.ts'],
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest(({ inject }) => ({
            miniflare: {
              compatibilityDate: '2026-11-01',
              bindings: { REDLOCK_NODES: inject('REDLOCK_NODES') },
              d1Databases: ['DB'],
            },
          })),
        ],
        test: { name: 'workerd', include: ['test/**/*.workerd.test.ts'] },
      },
    ],
  },
})
