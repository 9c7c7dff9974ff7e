import { defineConfig } from 'oxlint'

export default defineConfig({
  jsPlugins: ['./tools/lint/plugin.ts'],
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  options: { typeAware: true, denyWarnings: true },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'eslint/eqeqeq': 'error',
    'eslint/no-await-in-loop': 'off',
    'import/no-default-export': 'error',
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/no-array-sort': 'off',
    'eslint/no-shadow': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'import/no-named-as-default-member': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'noneLeft', 'fc.assert'] }],
  },
  ignorePatterns: ['dist', 'node_modules', 'docs/.vitepress/cache', 'verification/types/projects'],
  overrides: [
    {
      files: ['src/**'],
      rules: {
        // A function above a limit does several things: extract them.
        'eslint/complexity': ['error', { max: 15 }],
        'eslint/max-lines-per-function': [
          'error',
          { max: 60, skipComments: true, skipBlankLines: true },
        ],
        'eslint/no-shadow': 'error',
        'edge-redlock/no-import-in-for-update': 'error',
      },
    },
    {
      files: [
        '*.config.{ts,js,mjs}',
        'docs/.vitepress/config.ts',
        'docs/.vitepress/theme/index.ts',
        'docs/.vitepress/theme/*.data.ts',
        'docs/playground/*.data.ts',
        '**/worker.ts',
        'verification/apps/projects/**',
        'verification/bundlers/next/app/**',
        'examples/starters/nextjs/app/**',
        'test/examples/stand-ins/**',
        'tools/lint/plugin.ts',
        'verification/mutants/patched-batch.ts',
        'verification/simulation/engine/batch.ts',
        'verification/simulation/engine/golden-batch.ts',
        'bench/http/by-hand/client.ts',
      ],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
})
