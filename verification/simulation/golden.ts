import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { Tinypool } from 'tinypool'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import type { GoldenBatch } from './engine/golden-batch.ts'

// One hash over everything that many histories tell: each message, each timer, each event with its
// payload. Run it before and after a change that must not change behaviour: the hash stays the same.

type Options = { histories: number; seed: number; json?: true }

const { histories, seed, json } = new Command('npm run simulate:golden --')
  .description('Hash the full traces of histories, to see that a change changed no behaviour')
  .option('--histories <count>', 'how many', wholeNumber(1e9), 20_000)
  .option('--seed <number>', 'of the first; the others follow it', wholeNumber(2 ** 31), 1)
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<Options>()

const batchSize = 100

const run = async (): Promise<void> => {
  const pool = new Tinypool({
    filename: fileURLToPath(new URL('engine/golden-batch.ts', import.meta.url)),
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  try {
    const firsts = Array.from(
      { length: Math.ceil(histories / batchSize) },
      (_, index) => index * batchSize,
    )
    const hashes = await Promise.all(
      firsts.map((offset): Promise<string> => {
        const count = Math.min(batchSize, histories - offset)
        return pool.run({ first: seed + offset, count } satisfies GoldenBatch)
      }),
    )
    const hash = createHash('sha256').update(hashes.join()).digest('hex')
    if (json) console.log(JSON.stringify({ histories, seed, hash }))
    else console.log(`Golden: ${histories} histories from seed ${seed}, ${hash}`)
  } finally {
    await pool.destroy()
  }
}

await run().catch(reportFailure)
