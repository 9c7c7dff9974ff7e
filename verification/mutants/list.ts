/** One safeguard less: what the sources look like without it. */
export type Mutant = {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

// The nodes of the simulation run the emulator of the Lua script, so the safeguards of a node are
// removed there.
const node = 'src/testing/script-emulator.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'a quorum of one node less',
    file: 'src/options/resolve-options.ts',
    find: 'const majority = (nodes.length >> 1) + 1',
    replace: 'const majority = Math.max(1, nodes.length >> 1)',
  },
  {
    name: 'validity not looked at after the acquire',
    file: 'src/acquire/attempt.ts',
    find: 'const isValid = validity() > 0',
    replace: 'const isValid = true',
  },
  {
    name: 'validity counted from the last reply to the acquire',
    file: 'src/acquire/attempt.ts',
    find: 'lock: createLock(lease, validity, answers)',
    replace: 'lock: createLock(lease, ((end) => () => validity() + end)(elapsed()), answers)',
  },
  {
    name: 'validity counted from the last reply to the extend',
    file: 'src/lock/lock-state.ts',
    find: 'if (state.isUnconfirmed || next() > state.validity()) state.validity = next',
    replace: 'state.validity = validityOf(client, ttl, stopwatch(client.clock))',
  },
  {
    name: 'an adopted lock by the clocks of two machines, also after an extend',
    file: 'src/lock/lock-state.ts',
    find: 'state.isUnconfirmed || next() > state.validity()',
    replace: 'next() > state.validity()',
  },
  {
    name: 'an extend that succeeds after the validity was over',
    file: 'src/lock/lock-state.ts',
    find: `if (vote === 'no' || !isHeld(state)) throw lose(state)\n  if (vote !== 'yes'`,
    replace: `if (vote === 'no') throw lose(state)\n  if (vote !== 'yes'`,
  },
  {
    name: 'an extend that takes any answer for a yes',
    file: 'src/lock/lock-state.ts',
    find: `if (vote === 'no' || !isHeld(state)) throw lose(state)\n  if (vote !== 'yes' || next() <= 0) throw undecided(state)`,
    replace: `if (!isHeld(state)) throw lose(state)\n  if (next() <= 0) throw undecided(state)`,
  },
  {
    name: 'no allowance for drift',
    file: 'src/quorum/validity.ts',
    find: 'ttl * (1 - driftFactor) - 2 - elapsed()',
    replace: 'ttl * (1 - 0 * driftFactor) - elapsed()',
  },
  {
    name: 'only the monotonic clock',
    file: 'src/util/clock.ts',
    find: 'Math.max(clock.wall() - wall, clock.monotonic() - monotonic)',
    replace: 'clock.monotonic() - monotonic + 0 * wall',
  },
  {
    name: 'only the wall clock',
    file: 'src/util/clock.ts',
    find: 'Math.max(clock.wall() - wall, clock.monotonic() - monotonic)',
    replace: 'clock.wall() - wall + 0 * monotonic',
  },
  {
    name: 'one value for all attempts of a call',
    file: 'src/quorum/lease.ts',
    find: '    const value = client.makeValue()',
    replace: '    const value = ((requests as { value?: string }).value ??= client.makeValue())',
  },
  {
    name: 'nodes that did not answer are not released',
    file: 'src/acquire/rollback.ts',
    find: 'const mayHold = (index: number): boolean => possibleGrants[index]! > 0',
    replace: `const mayHold = (index: number): boolean => answers[index]?.status === 'granted'`,
  },
  {
    name: 'an aborted attempt is not released',
    file: 'src/acquire/attempt.ts',
    find: 'if (hasFailed) {',
    replace: 'if (hasFailed && !signal?.aborted) {',
  },
  {
    name: 'what goes on after a call is not handed to waitUntil',
    file: 'src/quorum/round.ts',
    find: 'if (lease.waitUntil) {',
    replace: 'if (lease.waitUntil && !lease) {',
  },
  {
    name: 'a node that has granted counts as one that has refused',
    file: 'src/quorum/ask-node.ts',
    find: `if (operation < 'i' && report.status === 'locked' && !node.resends) possibleGrants[index]!--`,
    replace: `if (operation < 'i' && report.status === 'granted') possibleGrants[index]!--`,
  },
  {
    // (Without a leader alone, the second looks still find a winner, for more requests.)
    name: 'a split vote is taken for an outage',
    file: 'src/quorum/tally.ts',
    find: `return lowest?.status === 'granted' ? 'lead' : 'yield'`,
    replace: `return lowest ? 'unavailable' : 'yield'`,
  },
  {
    name: 'a reply is not compared with its request',
    file: 'src/protocol/reply.ts',
    find: 'begin === echo && ',
    replace: '(true || begin === echo) && ',
  },
  {
    name: 'two urls of one server count twice',
    file: 'src/quorum/node-identity.ts',
    find: 'if (!id || first === index) continue',
    replace: 'if (!id || first <= index) continue',
  },
  {
    name: 'the end of validity is not told',
    file: 'src/lock/lock-state.ts',
    find: '  else lose(state)\n}',
    replace: '}',
  },
  {
    name: 'auto-extension goes on after the release',
    file: 'src/lock/keep-alive.ts',
    find: 'return () => cancelTimer?.()',
    replace: 'return () => {}',
  },
  {
    name: 'a release of whatever is there',
    file: node,
    find: 'else if (currentOwner !== owner) {',
    replace: `else if (operation === 'r') {\n      server.entries.delete(key)\n    } else if (currentOwner !== owner) {`,
  },
  {
    name: 'no tombstone',
    file: node,
    find: 'if (get(server, tombstone) !== undefined)',
    replace: 'if (false && get(server, tombstone) !== undefined)',
  },
  {
    name: 'a ttl may be shortened',
    file: node,
    find: 'Math.max(ttl, pttl(server, key))',
    replace: 'ttl',
  },
  {
    name: 'an acquire that refuses its own value',
    file: node,
    find: 'else if (currentOwner !== owner)',
    replace: `else if (currentOwner !== owner || operation === 'a')`,
  },
  {
    name: 'healing whoever has held it in between',
    file: node,
    find: `operation === 'e' && lastOwner !== owner`,
    replace: `operation === 'e' && lastOwner === undefined`,
  },
  {
    name: 'a node that came up empty counts at once',
    file: node,
    find: `operation === 'e' && lastOwner !== owner`,
    replace: `operation === 'e' && (lastOwner ?? owner) !== owner`,
  },
  {
    name: 'token: the counter does not rise',
    file: node,
    find: 'rise = 1',
    replace: 'rise = 0',
  },
  {
    name: 'token: the counter of one of several keys',
    file: node,
    find: 'counter = Math.max(counter, lastCounter)',
    replace: 'counter = lastCounter',
  },
  {
    name: 'token: any clock is followed',
    file: node,
    find: 'Math.max(now - clockTolerance, Math.min(now + clockTolerance, minCounter))',
    replace: 'minCounter',
  },
  {
    name: 'token: the highest counter of a quorum, not written back',
    file: 'src/quorum/fencing-token.ts',
    find: 'fences.find((fence) => fences.filter((other) => other === fence).length >= quorum)',
    replace: '(fences.length >= quorum ? Math.max(...fences) : undefined)',
  },
  {
    name: 'token: written back, and taken from who holds the lock',
    file: 'src/quorum/fencing-token.ts',
    find: 'fences.find((fence) => fences.filter((other) => other === fence).length >= quorum)',
    replace: '(fences.length >= quorum ? fences[0] : undefined)',
  },
  {
    name: 'token: never raised by another round',
    file: 'src/quorum/fencing-token.ts',
    find: 'Math.max(highest, answer?.fence ?? 0)',
    replace: '0 * (answer?.fence ?? 0)',
  },
  {
    name: 'no quarantine',
    file: node,
    find: `if (left > 0 && operation !== 'r')`,
    replace: `if (left > Infinity && operation !== 'r')`,
  },
  {
    name: 'a quarantine that is too short',
    file: 'src/quorum/node-identity.ts',
    find: 'Math.max(maxTtl * (1 + driftFactor), minQuarantine)',
    replace: 'maxTtl * driftFactor',
  },
  {
    name: 'a restart is seen only where the node is empty',
    file: node,
    find: 'if (lastRun !== run)',
    replace: 'if (!lastRun)',
  },
]
