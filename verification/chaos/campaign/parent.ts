import { once } from 'node:events'

/**
 * What a process of a campaign is told when it starts; not on its command line, which everybody can
 * read. From then on it ends with its parent, and not by a Ctrl-C that is meant for that.
 */
export const settingsFromParent = async <Settings>(): Promise<Settings> => {
  process.on('disconnect', () => process.exit())
  process.on('SIGINT', () => {})
  const [settings] = (await once(process, 'message')) as [Settings]
  return settings
}
