import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { dirname, normalize } from 'node:path/posix'
import { expect, it } from 'vitest'

// The directions in which files may import each other, types included. A file may always import its
// neighbours in the same room. src/README.md says what is in each room.

/** src/, from the ground up: each room, and the rooms that it may import. */
const rooms: Readonly<Record<string, string>> = {
  util: '',
  protocol: 'util',
  redis: 'protocol util',
  core: 'protocol redis util',
  client: 'core protocol redis util',
  memory: 'protocol redis util',
  'durable-object': 'memory protocol util npm:cloudflare:workers',
  requests: 'client core protocol util',
  idempotency: 'client core protocol requests util',
  adapters: 'core idempotency requests util npm:hono npm:node:http',
  guards: 'core protocol requests util npm:hono',
  operations:
    'client core protocol redis util npm:node:fs npm:node:process npm:node:timers npm:node:util',
  gateway: 'npm:hono',
  entries: 'adapters durable-object gateway guards idempotency memory operations protocol requests',
  'index.ts': 'client core protocol redis util',
}

/** The parts of rooms, in the same way: each, and the parts of its room that it may import. */
const parts: Readonly<Record<string, string>> = {
  'core/results': '',
  'core/retry': 'core/results',
  'core/options': 'core/results core/retry',
  'core/process': 'core/options core/results',
  core: 'core/options core/process core/results core/retry',
  'core/lock': 'core core/options core/process core/results core/retry',
  'core/claim': 'core core/lock core/options core/process core/results core/retry',
  'redis/scripts': '',
  'client/slots': 'client',
  'client/tracing': 'client',
  'client/wake-up': 'client',
  'memory/testing': 'memory',
  'idempotency/stores': '',
  'idempotency/once': 'idempotency/stores',
  'adapters/lambda': '',
  'adapters/fetch': 'adapters/lambda',
  'adapters/hono': '',
  'adapters/node': '',
  'operations/doctor': '',
  'operations/cli': 'operations/doctor',
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

/** The part that a file belongs to, or else its room. */
const partOf = (path: string): string => {
  const [, room = '', part = ''] = path.split('/')
  return `${room}/${part}` in parts ? `${room}/${part}` : room
}

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

it('parts of a room import only the parts that their rows name', () => {
  const inRoom = (line: string): boolean => {
    const [importer = '', target = ''] = line.split(' imports ')
    return roomOf(importer) === roomOf(target)
  }
  expect(breaches(parts, partOf).filter(inRoom)).toEqual([])
})

it('no request goes down more than ten floors', () => {
  const floorOf = (room: string): number =>
    1 + Math.max(0, ...rooms[room]!.split(' ').map((name) => (name in rooms ? floorOf(name) : 0)))
  expect(Math.max(...Object.keys(rooms).map(floorOf))).toBeLessThanOrEqual(10)
})

it('folders import only the folders that their rows name', () => {
  const folderOf = (path: string): string => path.replace(/\/.*/, '')
  const breached = breaches(folders, folderOf).filter((line) => !line.includes(' npm:'))
  expect(breached).toEqual([])
})

it('no files import each other in a circle', () => {
  expect(findCycle().join(' -> ')).toBe('')
})
