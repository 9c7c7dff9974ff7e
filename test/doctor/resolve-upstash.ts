import dns from 'node:dns'

// Preloaded into the process of a test: the host names of Upstash resolve to this machine.
const { lookup } = dns
const toThisMachine = (host: string, ...rest: unknown[]): unknown =>
  Reflect.apply(lookup, dns, [host.endsWith('.upstash.io') ? '127.0.0.1' : host, ...rest])
Object.assign(dns, { lookup: toThisMachine })
