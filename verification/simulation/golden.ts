import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { Tinypool } from 'tinypool'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import type { GoldenBatch } from './engine/golden-batch.ts'

// Hashes the traces of many histories: each message, each fault and each event with its payload. A
// change that must not change behaviour leaves the hash as it is.

type Options = { histories: number; seed: number; json?: true }

const { histories, seed, json } = new Command('npm run simulate:golden --')
  .description('Hash the full traces of histories, to verify that behaviour has not changed')
  .option('--histories <count>', 'the number of histories', wholeNumber(1e9), 20_000)
  .option(
    '--seed <number>',
    'the seed of the first history; the others count up from it',
    wholeNumber(2 ** 31),
    1,
  )
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
