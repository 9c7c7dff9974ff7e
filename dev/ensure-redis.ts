import { existsSync } from 'node:fs'
import { execa } from 'execa'
import { findRedisServer } from './redis.ts'

// What `npm test` needs and npm cannot bring: a Redis server. Found, installed where that is ours to
// do, or named.

const advice = `The tests run against real Redis servers, and no redis-server or valkey-server is on PATH.
Install one, then run npm test again:
  Debian, Ubuntu   sudo apt-get install redis-server
  Fedora           sudo dnf install valkey
  Alpine           sudo apk add redis
  macOS            brew install redis
The tests start their own servers on free ports; none needs to be running.`

const install = async (): Promise<void> => {
  console.log('No redis-server found; installing the Debian package redis-server with apt-get.')
  const options = { stdio: 'inherit', env: { DEBIAN_FRONTEND: 'noninteractive' } } as const
  await execa('apt-get', ['update', '-qq'], options)
  await execa(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'],
    options,
  )
}

const isWanted = process.env.EDGE_REDLOCK_INSTALL !== 'never'
const canInstall = isWanted && process.getuid?.() === 0 && existsSync('/etc/debian_version')
if (!findRedisServer() && canInstall) await install()
const found = findRedisServer()
if (found) {
  console.log(`Using ${found.file}`)
} else {
  console.error(advice)
  process.exitCode = 1
}
