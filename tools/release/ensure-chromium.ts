import { reportFailure } from '../cli/report-failure.ts'
import { browserAdvice, browsers } from './chromium.ts'
import { ensureTools } from './ensure-tools.ts'

// Checks for the browser that `npm run ci` needs, which npm cannot install. As root on Debian, installs one; otherwise,
// prints instructions.

try {
  const [file] = await ensureTools([{ names: browsers, packages: ['chromium'] }], browserAdvice)
  console.log(`Using ${file}`)
} catch (error) {
  reportFailure(error)
}
