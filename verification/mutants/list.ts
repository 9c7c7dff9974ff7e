import type { Patch } from '../../tools/patch-copy.ts'
import type { ScenarioName } from '../simulation/scenarios/names.ts'

/** A safeguard to remove, and the only kind of histories that can notice it, if only one can. */
export type Mutant = Patch & { readonly scenario?: ScenarioName }

// The nodes of the simulation run the emulator of the Lua script, so the safeguards of a node are
// removed there.
const node = 'src/testing/script-emulator.ts'

/** One safeguard less each. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a quorum of one node fewer',
    file: 'src/options/resolve-options.ts',
    find: 'const majority = (nodes.length >> 1) + 1',
    replace: 'const majority = Math.max(1, nodes.length >> 1)',
  },
  {
    name: 'validity not checked after an acquire',
    file: 'src/acquire/attempt.ts',
    find: "hasWon = reading.standing === 'won' && validity() > 0",
    replace: "hasWon = reading.standing === 'won'",
  },
  {
    name: 'validity measured from the last reply to an acquire',
    file: 'src/acquire/attempt.ts',
    find: 'lock: createLock(lease, validity, answers)',
    replace: 'lock: createLock(lease, ((end) => () => validity() + end)(elapsed()), answers)',
  },
  {
    name: 'validity measured from the last reply to an extend',
    file: 'src/lock/lock-state.ts',
    find: 'if (state.isUnconfirmed || next() > state.validity()) state.validity = next',
    replace: 'state.validity = validityOf(client, ttl, stopwatch(client.clock))',
  },
  {
    name: 'an adopted lock keeps its estimated validity after an extend',
    file: 'src/lock/lock-state.ts',
    find: 'state.isUnconfirmed || next() > state.validity()',
    replace: 'next() > state.validity()',
  },
  {
    name: 'an extend succeeds after the end of the validity',
    file: 'src/lock/lock-state.ts',
    find: `if (vote === 'no' || !isHeld(state)) throw markLost(state)\n  if (vote !== 'yes'`,
    replace: `if (vote === 'no') throw markLost(state)\n  if (vote !== 'yes'`,
  },
  {
    name: 'an extend counts any reply as a yes',
    file: 'src/lock/lock-state.ts',
    find: `if (vote === 'no' || !isHeld(state)) throw markLost(state)\n  if (vote !== 'yes' || next() <= 0) throw quorumErrorOf(state)`,
    replace: `if (!isHeld(state)) throw markLost(state)\n  if (next() <= 0) throw quorumErrorOf(state)`,
  },
  {
    name: 'no allowance for clock drift',
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
    name: 'one lock value for all attempts of a call',
    file: 'src/quorum/lease.ts',
    find: '    const value = client.makeValue()',
    replace: '    const value = ((requests as { value?: string }).value ??= client.makeValue())',
  },
  {
    name: 'nodes that did not answer are not rolled back',
    file: 'src/acquire/rollback.ts',
    find: 'const mayHold = (index: number): boolean => possibleGrants[index]! > 0',
    replace: `const mayHold = (index: number): boolean => answers[index]?.status === 'granted'`,
  },
  {
    name: 'an aborted attempt is not rolled back',
    file: 'src/acquire/attempt.ts',
    find: 'if (hasFailed) {',
    replace: 'if (hasFailed && !signal?.aborted) {',
  },
  {
    name: 'background work is not passed to waitUntil',
    file: 'src/quorum/round.ts',
    find: 'if (lease.waitUntil) {',
    replace: 'if (lease.waitUntil && !lease) {',
  },
  {
    name: 'a node that has granted counts as one that has rejected',
    file: 'src/quorum/ask-node.ts',
    find: `if (operation < 'i' && report.status === 'locked' && !node.resends) possibleGrants[index]!--`,
    replace: `if (operation < 'i' && report.status === 'granted') possibleGrants[index]!--`,
  },
  {
    // Removing the leader alone is not enough: second looks would still find a winner.
    name: 'a split vote counts as an outage',
    file: 'src/quorum/tally.ts',
    find: `return lowest?.status === 'granted' ? 'lead' : 'yield'`,
    replace: `return lowest ? 'unavailable' : 'yield'`,
  },
  {
    name: 'a reply is not matched with its request',
    file: 'src/protocol/reply.ts',
    find: 'begin === echo && ',
    replace: '(true || begin === echo) && ',
  },
  {
    name: 'two URLs of one server count as two nodes',
    file: 'src/quorum/distinct-servers.ts',
    find: 'if (!server) return',
    replace: 'if (server || !server) return',
  },
  {
    name: 'the end of the validity is not reported',
    file: 'src/lock/lock-state.ts',
    find: '  else markLost(state)\n}',
    replace: '}',
  },
  {
    name: 'keep-alive continues after the release',
    file: 'src/lock/keep-alive.ts',
    find: 'return () => cancelTimer?.()',
    replace: 'return () => {}',
  },
  {
    name: 'a release of any lock value',
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
    name: 'an acquire is rejected because of its own lock value',
    file: node,
    find: 'else if (currentOwner !== owner)',
    replace: `else if (currentOwner !== owner || operation === 'a')`,
  },
  {
    name: 'an extend restores a lock although another was granted meanwhile',
    file: node,
    find: `operation === 'e' && lastValue !== value`,
    replace: `operation === 'e' && lastValue === undefined`,
  },
  {
    name: 'a node that restarted without data counts at once',
    file: node,
    find: `operation === 'e' && lastValue !== value`,
    replace: `operation === 'e' && (lastValue ?? value) !== value`,
  },
  {
    name: 'token: the counter does not rise',
    file: node,
    find: 'rise = 1',
    replace: 'rise = 0',
  },
  {
    name: 'token: the counter of only one of several keys',
    file: node,
    find: 'counter = Math.max(counter, lastCounter)',
    replace: 'counter = lastCounter',
  },
  {
    name: 'token: the counter follows any clock',
    file: node,
    find: 'Math.max(now - clockTolerance, Math.min(now + clockTolerance, minCounter))',
    replace: 'minCounter',
  },
  {
    name: 'token: the highest counter of a quorum, unconfirmed',
    file: 'src/quorum/fencing-token.ts',
    find: 'fences.find((fence) => fences.filter((other) => other === fence).length >= quorum)',
    replace: '(fences.length >= quorum ? Math.max(...fences) : undefined)',
  },
  {
    name: 'token: the counter of a single node of the quorum',
    file: 'src/quorum/fencing-token.ts',
    find: 'fences.find((fence) => fences.filter((other) => other === fence).length >= quorum)',
    replace: '(fences.length >= quorum ? fences[0] : undefined)',
  },
  {
    name: 'token: counters are never raised by another round',
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
    name: 'a quarantine shorter than the maximum ttl',
    file: 'src/quorum/node-identity.ts',
    find: 'Math.max(maxTtl * (1 + driftFactor), minQuarantine)',
    replace: 'maxTtl * driftFactor',
  },
  {
    name: 'a restart is detected only if the node is empty',
    file: node,
    find: 'if (lastRun !== run)',
    replace: 'if (!lastRun)',
  },
  // The rules for sick nodes, far nodes and lines.
  {
    name: 'sick: a vote waits for the slow nodes',
    file: 'src/quorum/round.ts',
    find: 'if (!skipsSlow || quorumTook === undefined',
    replace: 'if (skipsSlow || quorumTook === undefined',
    scenario: 'sick-burst',
  },
  {
    name: 'sick: nobody looks again after a split vote',
    file: 'src/acquire/try-once.ts',
    find: 'looksAgain: splitVotes > 1 || looksAgain(answers)',
    replace: 'looksAgain: splitVotes > 1 && !answers',
    scenario: 'sick-burst',
  },
  {
    name: 'sick: answers that are late are ignored',
    file: 'src/acquire/attempt.ts',
    find: 'if (!answers[index]) enterAnswer(',
    replace: 'if (!answers) enterAnswer(',
    scenario: 'sick-burst',
  },
  {
    name: 'sick: pauses of a fixed length',
    file: 'src/acquire/split-vote.ts',
    find: 'took * (1.7 + random() / 10)',
    replace: '0 * took + 400 + random()',
    scenario: 'sick-burst',
  },
  {
    name: 'far: a request is cancelled while its connection opens',
    file: 'src/options/resolve-options.ts',
    find: 'export const defaultNodeTimeout = 2_000',
    replace: 'export const defaultNodeTimeout = 300',
    scenario: 'regions',
  },
  {
    name: 'wait: a round is not limited by it',
    file: 'src/quorum/round.ts',
    find: 'if (settleAfter < Infinity)',
    replace: 'if (settleAfter < 0)',
    scenario: 'lines',
  },
  {
    name: 'keep-alive: due a third of the ttl after the acquire',
    file: 'src/lock/keep-alive.ts',
    find: 'schedule(Math.min(ttl / 3, lock.expiresIn - validity / 2))',
    replace: 'schedule(ttl / 3)',
    scenario: 'holders',
  },
  {
    name: 'lines: news of any age is as good as an answer',
    file: 'src/local/wait-queue.ts',
    find: 'queue.news && queue.news.age() <= age ? queue.news : undefined',
    replace: 'queue.news && age >= 0 ? queue.news : undefined',
    scenario: 'lines',
  },
  {
    name: 'lines: a call gives up without asking',
    file: 'src/acquire/try-once.ts',
    find: 'if (isLast ? !(isOthers(news) && isFresh(news)) : !isBehind) return undefined',
    replace: 'if (!isBehind) return undefined',
    scenario: 'lines',
  },
  {
    name: 'lines: the time to retry does not count down',
    file: 'src/local/wait-queue.ts',
    find: 'Math.max(1, refusal.retryAfter - age())',
    replace: 'Math.max(1, refusal.retryAfter - 0 * age())',
    scenario: 'lines',
  },
  {
    name: 'lines: each call that gives up asks all nodes',
    file: 'src/acquire/try-once.ts',
    find: 'chooseProbe(!isNotified && (isOthers(news) || (isHeldFirst && !isLast)))',
    replace: 'chooseProbe(!isNotified && isHeldFirst && !isLast)',
    scenario: 'lines',
  },
  {
    name: 'the server behind a URL is remembered for ever',
    file: 'src/quorum/ask-node.ts',
    find: 'return { ...report, server }',
    replace:
      'return { ...report, server: (((client as { known?: (string | undefined)[] }).known ??= [])[index] ??= server) }',
  },
  // The rules for counters that expire.
  {
    name: 'token: a counter that has expired starts at 0',
    file: node,
    find: 'Math.max(now - clockTolerance, Math.min(now + clockTolerance, minCounter))',
    replace: '0',
    scenario: 'expiry',
  },
  {
    name: 'token: a fence may expire before its lock',
    file: node,
    find: 'life + fenceTtl)',
    replace: 'ttl + fenceTtl)',
    scenario: 'expiry',
  },
  {
    name: 'token: a fence expires with its release',
    file: node,
    find: 'fence, fenceTtl)',
    replace: 'fence, 1)',
  },
  {
    name: 'token: a fence lives for less time than clocks differ',
    file: 'src/quorum/script-call.ts',
    find: 'namespace === locks ? fenceTtl : 0',
    replace: 'namespace === locks ? fenceTtl / 2 : 0',
    scenario: 'expiry',
  },
  {
    name: 'token: a fence lives as shortly without TIME',
    file: node,
    find: 'clock === undefined ? Math.max(fenceTtl, fenceTtlWithoutClock) : fenceTtl',
    replace: 'fenceTtl',
    scenario: 'expiry',
  },
  {
    name: 'token: an extend restores a key whose fence has expired, without TIME',
    file: node,
    find: `lastValue === undefined && clock !== undefined\n        if (canWrite) min = Math.max(min, clock!)`,
    replace: `lastValue === undefined\n        if (canWrite) min = Math.max(min, clock ?? 0)`,
    scenario: 'expiry',
  },
  {
    name: 'token: a spare node is acquired without the time of the client',
    file: 'src/lock/spare-nodes.ts',
    find: 'Math.max(known, clock.wall())',
    replace: 'known',
    scenario: 'expiry',
  },
]
