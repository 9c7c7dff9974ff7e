import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dirname, normalize } from 'node:path/posix'
import { expect, it } from 'vitest'

// The directions in which files may import each other, types included. A file may always import its
// neighbours in the same room. src/README.md says what is in each room.

/** src/, from the ground up: each room or file, and the rooms that it may import. */
const rooms: Readonly<Record<string, string>> = {
  util: '',
  reports: 'util',
  protocol: 'reports util',
  retry: 'reports util',
  nodes: 'protocol util',
  quarantine: 'nodes protocol util',
  options: 'nodes protocol reports retry util',
  local: 'nodes options protocol reports util',
  emulator: 'protocol',
  testing: 'emulator nodes protocol util',
  'custom-node': 'emulator nodes protocol util',
  core: 'local nodes options protocol reports retry util',
  lock: 'local options protocol core reports retry util',
  acquire: 'core local lock options protocol reports util',
  'redlock.ts': 'acquire local lock nodes options protocol core reports util',
  'throttle.ts': 'acquire local options protocol redlock.ts core reports util',
  'adopt.ts': 'lock options protocol redlock.ts core util',
  records: 'acquire local lock options protocol core reports retry util',
  'inspect.ts': 'protocol records redlock.ts reports core util',
  'force-release.ts': 'inspect.ts protocol redlock.ts reports core util',
  slots: 'acquire inspect.ts local lock options protocol core redlock.ts reports retry util',
  'wake-up': 'acquire local lock nodes options protocol redlock.ts reports retry util',
  tracing: 'acquire local lock options protocol redlock.ts reports util',
  http: 'acquire local lock options protocol redlock.ts reports retry throttle.ts util',
  stores: 'protocol retry util',
  once: 'acquire local lock options records redlock.ts reports retry stores core protocol util',
  hono: 'http lock options util npm:hono',
  lambda: 'util',
  fetch: 'http lambda lock options util',
  idempotency:
    'acquire fetch hono http lock once options protocol records redlock.ts reports retry stores util npm:hono',
  node: 'http idempotency lock stores util npm:node:http',
  'index.ts':
    'acquire adopt.ts force-release.ts inspect.ts lock nodes options protocol quarantine redlock.ts reports retry slots throttle.ts tracing util wake-up',
  guards: 'http protocol reports util npm:hono',
  'durable-object': 'emulator nodes protocol util npm:cloudflare:workers',
  gateway: 'npm:hono',
  doctor: 'inspect.ts local lock nodes protocol core redlock.ts reports util',
  cli: 'doctor force-release.ts inspect.ts nodes quarantine redlock.ts reports slots util npm:node:fs npm:node:process npm:node:timers npm:node:util',
}

/** The top level: what each folder may import. Nobody imports a test, and only `npm start` wraps an example. */
const folders: Readonly<Record<string, string>> = {
  src: '',
  tools: 'src examples',
  verification: 'src tools',
  bench: 'src tools verification',
  examples: 'src',
  // The playground records the client over the servers and the network of the simulation.
  docs: 'src tools verification',
  test: 'src tools verification bench examples docs',
}

const root = resolve(import.meta.dirname, '../..')
const pattern = `{${Object.keys(folders).join()}}/**/*.ts`
const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules'] }).sort()

/** The imports of a file: paths of files, and packages as `npm:name`. */
const importsOf = (file: string): string[] => {
  // Without the lines of docstrings, whose examples import the package by its name.
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\*.*$/gm, '')
  return [...source.matchAll(/\b(?:from|import)[\s(]*'([^'\n]+)'/g)].map(([, target = '']) =>
    target.startsWith('.')
      ? normalize(`${dirname(file)}/${target}`)
      : `npm:${target.replace(/\/.*/, '')}`,
  )
}

/** The imports that a table does not allow. `groupOf` finds the row of a file. */
const breaches = (
  table: Readonly<Record<string, string>>,
  groupOf: (path: string) => string,
): string[] =>
  files.flatMap((file) => {
    const group = groupOf(file)
    const allowed = table[group]?.split(' ')
    if (!allowed) return []
    return importsOf(file)
      .filter((target) => ![group, ...allowed].includes(groupOf(target)))
      .map((target) => `${file} imports ${target}`)
  })

/** A cycle of imports, as the files along it; found by a depth-first search. */
const findCycle = (): string[] => {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    done.add(file)
    for (const target of importsOf(file)) {
      const cycle = files.includes(target) ? visit(target, [...path, file]) : []
      if (cycle.length > 0) return cycle
    }
    return []
  }
  return files.map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? []
}

const roomOf = (path: string): string => path.split('/')[path.startsWith('src/') ? 1 : 0]!

it('every room of src/ has a row, which names only rows above it', () => {
  const inSource = files.filter((file) => file.startsWith('src/')).map(roomOf)
  const names = Object.keys(rooms)
  expect(names.toSorted()).toEqual([...new Set(inSource)].toSorted())
  const upward = names.flatMap((name, index) =>
    names.slice(index).filter((other) => rooms[name]!.split(' ').includes(other)),
  )
  expect(upward).toEqual([])
})

it('the map in src/README.md has each room, below all that it imports', () => {
  const map = readFileSync(join(root, 'src/README.md'), 'utf8').split('\n## ')[1]!
  const rows = [...map.matchAll(/^\| (\d*) ?\| ([^|]+) \|/gm)]
  const places = new Map(
    rows.flatMap(([, place, names = '']) =>
      [...names.matchAll(/`([\w.-]+)/g)].map(([, name = '']) => [name, Number(place)] as const),
    ),
  )
  expect([...places.keys()].toSorted()).toEqual(Object.keys(rooms).toSorted())
  const upward = Object.entries(rooms).flatMap(([name, imports]) =>
    imports
      .split(' ')
      .filter((other) => (places.get(other) ?? -1) >= places.get(name)!)
      .map((other) => `${name} imports ${other}`),
  )
  expect(upward).toEqual([])
})

it('rooms of src/ import only the rooms that their rows name', () => {
  expect(breaches(rooms, roomOf)).toEqual([])
})

it('folders import only the folders that their rows name', () => {
  const folderOf = (path: string): string => path.replace(/\/.*/, '')
  const breached = breaches(folders, folderOf).filter((line) => !line.includes(' npm:'))
  expect(breached).toEqual([])
})

it('no files import each other in a circle', () => {
  expect(findCycle().join(' -> ')).toBe('')
})
