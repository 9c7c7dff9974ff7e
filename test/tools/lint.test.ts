import { RuleTester } from 'oxlint/plugins-dev'
import { describe, it } from 'vitest'
import plugin from '../../tools/lint/plugin.ts'

RuleTester.describe = describe
RuleTester.it = it

const imported = `import { now } from './clock.js'; import * as clock from './clock.js';`

new RuleTester().run('no-import-in-for-update', plugin.rules['no-import-in-for-update'], {
  valid: [
    `${imported} for (let at = now(); ; ) at = now()`,
    `${imported} for (let at = now(); now() > at; at += 1) {}`,
    `${imported} const read = () => now(); for (let at = 0; ; at = read()) {}`,
    `for (let at = 0; ; at = now()) {} function now() { return 0 }`,
    `${imported} for (let at = { now: 0 }; ; at.now++) {}`,
  ],
  invalid: [
    `${imported} for (let at = 0; ; at = now()) {}`,
    `${imported} for (let at = 0; ; at = clock.now()) {}`,
    `${imported} for (let at = 0; ; at = (() => now())()) {}`,
    `import now from './clock.js'; for (let at = 0; ; at++, now()) {}`,
  ].map((code) => ({ code, errors: 1 })),
})
