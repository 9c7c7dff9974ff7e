import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { jsrOf } from '../../tools/release/jsr.ts'

it('jsr.json has the version and the entries of package.json: node tools/release/jsr.ts writes it', async () => {
  const read = async (file: string): Promise<Parameters<typeof jsrOf>[0]> =>
    JSON.parse(await readFile(file, 'utf8')) as Parameters<typeof jsrOf>[0]
  expect(await read('jsr.json')).toEqual(jsrOf(await read('package.json')))
})
