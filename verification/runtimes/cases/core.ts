import { equal } from 'node:assert/strict'
import type { Case } from '../case.ts'
import { core } from '../core.ts'
import { entries } from '../entries.ts'

/** The library itself, called inside the runtime. */
export const coreCases: readonly Case[] = Object.keys({ ...core, ...entries }).map((name) => ({
  name,
  run: async ({ app, key, noneLeft }) => {
    const response = await app.call(`/core/${encodeURIComponent(name)}/${key}`)
    equal(await response.text(), 'ok')
    await noneLeft()
  },
}))
