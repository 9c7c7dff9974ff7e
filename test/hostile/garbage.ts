import fc from 'fast-check'

/** Unexpected values: of another type, out of range, or valid only in another position. */
export const weird = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', ' ', 'granted', 'locked', 'absent', 'quarantined'),
  fc.constantFrom<unknown>('timeout', 'error', 'toString', '__proto__', 'constructor', 'NaN', '5'),
  fc.constantFrom<unknown>(-5, -0, 0, 0.5, 7, 1e21, 1e300, 2 ** 53 - 1, 2 ** 53, -(2 ** 60)),
  fc.constantFrom<unknown>(
    [],
    {},
    ['granted'],
    [[7]],
    { toString: 1 },
    { valueOf: 'x', length: 5 },
  ),
  fc.constantFrom<unknown>('h', 'hrival', 'hrival metadata', ' metadata', `h${'x'.repeat(36)}`),
  fc.jsonValue({ maxDepth: 2 }),
)
/** Bodies that are no reply at all: from a proxy, a captive portal, a bug, or an attacker. */
export const garbage = fc.oneof(
  fc.constantFrom('', ' ', 'null', 'true', '0', '""', '[]', '{}', '{', '\0', '\ufeff', 'OK', '+OK'),
  fc.constantFrom('<html>Sign in</html>', '{"result":null}', '{"result":["a', '{"error":""}'),
  fc.constantFrom('{"error":"NOSCRIPT"}', '{"error":{"toString":1}}', '{"error":[[[1]]]}'),
  fc.constantFrom('{"result":[1e400,"granted",1e400,"",1e400]}', '{"result":"granted"}'),
  fc.constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json({ maxDepth: 3 }),
  weird.map((error) => JSON.stringify({ error })),
  weird.map((result) => JSON.stringify({ result })),
  fc.array(weird, { maxLength: 8 }).map((result) => JSON.stringify({ result })),
)

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** Bodies that take time or memory to parse. */
export const large = fc.constantFrom(
  '['.repeat(60_000),
  '{"a":'.repeat(9_000),
  deep(9_000),
  `{"error":${deep(9_000)}}`,
  `{"result":${deep(9_000)}}`,
  'x'.repeat(70_000),
  `"${'x'.repeat(70_000)}"`,
  '\0'.repeat(70_000),
)
