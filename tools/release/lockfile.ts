import { readFile, writeFile } from 'node:fs/promises'

// If the registry lacks a binary for another platform, npm omits it from package-lock.json, and `npm ci` then rejects
// the whole file. This script restores these entries, with the platform in their names, so that one lockfile works on
// every platform. Run it after `npm install`.

type Entry = {
  version: string
  cpu?: string[]
  dev?: true
  libc?: string[]
  optional?: true
  optionalDependencies?: Record<string, string>
  os?: string[]
}

const known = {
  os: ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'win32'],
  cpu: ['arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64', 'arm'],
}

const platformOf = (name: string): Pick<Entry, 'cpu' | 'os' | 'libc'> | undefined => {
  if (name.includes('-wasm32')) return { cpu: ['wasm32'] }
  const text = name.replace('windows', 'win32').replace(/-64$/, '-x64')
  const os = known.os.find((one) => text.includes(one))
  const cpu = known.cpu.find((one) => text.includes(`-${one}`))
  if (!os || !cpu) return undefined
  const libc = os === 'linux' && [/musl/.test(text) ? 'musl' : 'glibc']
  return { cpu: [cpu], os: [os], ...(libc && { libc }) }
}

for (const file of [
  'package-lock.json',
  'docs/package-lock.json',
  'verification/apps/projects/package-lock.json',
  'verification/bundlers/package-lock.json',
]) {
  const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Entry> }
  let added = 0
  for (const [path, { optionalDependencies = {} }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const key = `node_modules/${name}`
      const platform = platformOf(name)
      if (lock.packages[key] ?? lock.packages[`${path}/${key}`] ?? !platform) continue
      lock.packages[key] = { version, dev: true, optional: true, ...platform }
      added++
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
  await writeFile(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
  )
  console.log(`${file}: ${added} entries for other platforms added.`)
}
