import { findCommand } from './ensure-tools.ts'

/** The names of a browser that the tests of pages can drive. */
export const browsers = ['chromium', 'chromium-browser', 'google-chrome'] as const

/** How to install it. */
export const browserAdvice = `The tests of pages run in Chromium, and none is on PATH. Install it, then run the tests again:
  Debian           sudo apt-get install chromium
  Fedora           sudo dnf install chromium
  Alpine           sudo apk add chromium
  macOS            install Google Chrome, and put a link to it named google-chrome on PATH`

/** The file of the browser. @throws with instructions if there is none. */
export const findBrowser = (): string => {
  const found = findCommand(browsers)
  if (!found) throw new Error(browserAdvice)
  return found.file
}
