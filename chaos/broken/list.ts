/** Sources that are broken on purpose: what is replaced in them, each exactly once. */
export type Broken = {
  readonly file: string
  readonly find: string
  readonly replace: string
  /** The check that must fail then. */
  readonly noticedBy: string
}

/** What the campaign must notice. */
export const broken = {
  /** Two of five nodes are enough. */
  quorum: {
    file: 'src/settings.ts',
    find: 'const majority = (nodes.length >> 1) + 1',
    replace: 'const majority = Math.max(1, nodes.length >> 1)',
    noticedBy: 'two holders',
  },
  /** A release takes the lock away from whoever has it. */
  values: {
    file: 'src/scripts.ts',
    find: `elseif h~=v then w,by=false,'h'..h:gsub('^(........)[^ ]*','%1')\nelseif o=='r'then c('DEL',k)`,
    replace: `elseif o=='r'then c('DEL',k)\nelseif h~=v then w,by=false,'h'..h:gsub('^(........)[^ ]*','%1')`,
    noticedBy: 'two holders',
  },
  /** The guard lets everybody in. */
  guards: {
    file: 'src/guards/redis.ts',
    find: `if h and tonumber(h)>tonumber(ARGV[1])then return{'stale',h}end`,
    replace: '',
    noticedBy: 'stale write through a guard',
  },
} as const satisfies Record<string, Broken>

export type BrokenName = keyof typeof broken
export const brokenNames = Object.keys(broken) as BrokenName[]
