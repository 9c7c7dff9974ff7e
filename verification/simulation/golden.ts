import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption, seedOption } from '../../tools/cli/options.ts'
import type { GoldenBatch } from './engine/golden-batch.ts'
import { scenarioOption } from './scenario-option.ts'
import type { ScenarioChoice } from './scenarios/names.ts'

// Hashes the traces of many histories: each message, each fault and each event with its payload. A refactoring must not
// change the hash.

const batchSize = 100

await runCommand<{ histories: number; seed: number; scenario: ScenarioChoice }>(
  {
    name: 'npm run verify -- golden',
    description: 'Hash the full traces of histories, to verify that behavior has not changed',
    options: {
      histories: countOption('--histories <count>', 'the number of histories', 1e9, 20_000),
      seed: seedOption('the seed of the first history; the others count up from it'),
      scenario: scenarioOption,
    },
  },
  async ({ histories, seed, scenario }) => {
    const pool = new Tinypool({
      filename: fileURLToPath(new URL('engine/golden-batch.ts', import.meta.url)),
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    })
    try {
      const batches = Array.from({ length: Math.ceil(histories / batchSize) }, (_, index) => {
        const offset = index * batchSize
        return { scenario, first: seed + offset, count: Math.min(batchSize, histories - offset) }
      })
      const hashes = await Promise.all(
        batches.map((batch: GoldenBatch): Promise<string> => pool.run(batch)),
      )
      const hash = createHash('sha256').update(hashes.join()).digest('hex')
      return {
        isMet: true,
        json: { histories, seed, hash },
        lines: [`Golden: ${histories} histories from seed ${seed}, ${hash}`],
      }
    } finally {
      await pool.destroy()
    }
  },
)
