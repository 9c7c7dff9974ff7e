import { reportFailure } from '../cli/report-failure.ts'
import { engines } from '../servers/redis.ts'
import { ensureTools } from './ensure-tools.ts'

// Checks for the Redis server that `npm test` needs, which npm cannot install. As root on Debian, installs one;
// otherwise, prints instructions.

const advice = `The tests run against real Redis servers, and no redis-server or valkey-server is on PATH.
Install one, then run npm test again:
  Debian, Ubuntu   sudo apt-get install redis-server
  Fedora           sudo dnf install valkey
  Alpine           sudo apk add redis
  macOS            brew install redis
The tests start their own servers on free ports; none needs to be running.`

try {
  const [file] = await ensureTools([{ names: engines, packages: ['redis-server'] }], advice)
  console.log(`Using ${file}`)
} catch (error) {
  reportFailure(error)
}
