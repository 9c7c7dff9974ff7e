import { type Behaviour, behaviours } from '../behaviours.ts'

/** A behavior of requests that also applies to functions, worded for functions. */
const sameAs = (
  id: string,
  title: string,
  test: string,
  more: Partial<Behaviour> = {},
): Behaviour => {
  const { about: _, ...behaviour } = behaviours.find((one) => one.id === id)!
  return { ...behaviour, id: `once-${id}`, title, test, ...more }
}

export const functionBehaviours: readonly Behaviour[] = [
  sameAs(
    'sequential',
    'A later call gets the value, without a run',
    'The function is called twice, one after the other.',
    { needs: 'keeping' },
  ),
  {
    id: 'once-concurrent',
    title: 'Ten calls at once in one process run once, and all get the value',
    test: 'Each call is made once. It may wait, and may not be refused.',
    needs: 'waiting',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      const all = await Promise.all(Array.from({ length: 10 }, () => instance.send({ key })))
      const got = all.filter(({ status }) => status === 201).length
      return { isMet: runs() === 1 && got === 10, saw: `${runs()} run, ${got} values` }
    },
  },
  sameAs(
    'processes',
    'Ten calls at once over ten processes run once, with one value',
    'Ten processes, a call each at once, made again while it is refused.',
  ),
  sameAs('failure', 'A function that fails can run again at once', 'The first run throws.'),
  sameAs(
    'crash',
    'A process that dies in its run blocks the key for no longer than the claim lives',
    'A process loses the store while its function runs, and never comes back. Another one tries for 10 s; a claim lives 2 s.',
  ),
  sameAs(
    'long',
    'A run that takes longer than a claim lives is the only one',
    'The function takes 5 s, a claim lives 2 s, and another call comes after 3 s.',
  ),
  sameAs(
    'stale',
    'The late value of a stale run does not replace the one that was kept',
    'A process stands still until another one has run, and then ends its run.',
  ),
  sameAs(
    'stale-answer',
    'The caller of a stale run gets the value that was kept',
    'A process stands still until another one has run, and then ends its run.',
  ),
  sameAs(
    'outage',
    'Nothing runs unprotected while the store refuses',
    'The store refuses all commands.',
  ),
  sameAs(
    'hang',
    'A call ends within 15 s while the store hangs',
    'The store does not answer any command.',
  ),
  sameAs(
    'server-loss',
    'A value survives the loss of a server with its data',
    'The first server is emptied, as after a restart without persistence.',
  ),
  sameAs(
    'expiry',
    'The function runs again once its value has expired',
    'Values are kept for 4 s; the function is called again after 6 s.',
  ),
]
