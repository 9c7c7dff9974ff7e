import { findCommand } from './ensure-tools.ts'

/** The names of browsers that the page tests can control. */
export const browsers = ['chromium', 'chromium-browser', 'google-chrome'] as const

/** Instructions to install a browser. */
export const browserAdvice = `The tests of pages run in Chromium, and none is on PATH. Install it, then run the tests again:
  Debian           sudo apt-get install chromium
  Fedora           sudo dnf install chromium
  Alpine           sudo apk add chromium
  macOS            install Google Chrome, and put a link to it named google-chrome on PATH`

/** Finds the executable of a browser. @throws an error with instructions if there is none. */
export const findBrowser = (): string => {
  const found = findCommand(browsers)
  if (!found) throw new Error(browserAdvice)
  return found.file
}
