// Phrases that are correct, but that a native engineer would not write. Each rule names a better wording.

/** Things that must not be the subject of a human action. */
const things = '(?:nodes?|repl(?:y|ies)|answers?|records?|keys?|locks?|scripts?)'

export const habits: readonly (readonly [rule: string, pattern: RegExp])[] = [
  [
    'a node "holds", "returns", "reports" or "needs"',
    new RegExp(
      `\\b${things} (?:that )?(?:also |now |itself |themselves )?(?:tells?|told|says?|said|wants?|wanted|hears?|heard|thinks?|believes?)\\b|\\bnodes? (?:that )?(?:also )?(?:speaks?|spoke|knows?|knew)\\b`,
      'i',
    ),
  ],
  [
    '"if", "without" or "unless" instead of "where"',
    /\b(?:only|except|even|undefined|false|true|null|0|none|nothing|unless|not) where\b/i,
  ],
  ['a noun instead of "What ...": "The options of ..."', /^(?:What|Who)\b[^?:]*\.$/],
  ['"any client that" or "everyone who" instead of "whoever"', /\bwhoever\b/i],
  ['a noun instead of "such a": "this client"', /^Such an?\b|\bsuch as (?:they|it)\b/],
  ['a noun instead of "that of"', /^(?:That|Those) of\b/],
  [
    'at most two "of" in a chain: "the node\'s reply"',
    /\bof(?: (?!of\b)(?:the |an? |its |their )?[\w'\u0060-]+){1,2} of(?: (?!of\b)[\w'\u0060-]+){1,3} of\b/i,
  ],
  ['"unused" or "no client" instead of "of nobody"', /\b(?:of|to) nobody\b(?! else)|\bnobody's\b/i],
  [
    '"should", "must" or "will" instead of "is to"',
    /\b(?:that|which|it|they|nodes?|clients?|calls?|locks?|requests?|answers?|keys?) (?:is|are) to (?!the\b|an?\b|be\b|one\b|another\b)[a-z]+/i,
  ],
  ['"`x` must be ..." instead of "Expected `x` to be"', /^Expected .*\bto (?:be|have)\b.*, got\b/],
  ['"now" or "later" instead of "comes to"', /\b(?:comes?|came) to (?:lead|be|know|hold|see)\b/i],
  ['"pauses" instead of "stands still"', /\b(?:stands?|stood|standing) still\b/i],
  ['"expired" or "ended" instead of "its time is over"', /\btime is (?:over|up)\b/i],
  [
    '"is not a" instead of "is no"',
    /(?<!\bt?here )\b(?:is|are|was|were) no (?!longer\b|more\b|other\b|need\b|such\b|better\b|worse\b|fewer\b|less\b|one\b)[a-z]/i,
  ],
  ['"forever"', /\bfor ever\b/i],
  ['"the answer of" instead of "the word of"', /\b(?:last|the) word of\b/i],
]
