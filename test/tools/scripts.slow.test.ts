import { describe, expect, it } from 'vitest'
import { familyNames, listed } from './family.ts'
import { runScript } from './processes.ts'

describe.each(familyNames)('npm run %s', async (family) => {
  // Members that run Vitest have its options.
  const own = (await listed(family)).filter(({ takes }) => takes.includes('--'))

  it.each(own)('$name takes the options that the list says', async ({ name, takes }) => {
    const { stdout, exitCode } = await runScript(`run/${family}`, [name, '--help'])
    expect(exitCode).toBe(0)
    for (const [option] of takes.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(`${option} `)
  })
})
