import type { LockNode, RunOptions } from '../../src/entries/custom-node.ts'
import { quarantine, Redlock } from '../../src/index.ts'
import type { Command, CommandGuard } from '../../src/protocol/command.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import { ClientProcess, drained, type Timer } from './client-process.ts'
import { hashOf } from './hash.ts'
import { epoch, Node } from './node.ts'
import { Ledger, Observer, type Violation } from './observer.ts'
import type { Renaming } from './renaming.ts'
import { renamingsOf } from './symmetry.ts'
import type { Fault, World } from './world.ts'

const key = 'key'
const ttl = 1_000
/** A time within which nothing times out, in ms. */
const tick = 300
/** The shortest that a server stays in quarantine. */
const maxTtl = ttl

const none: Record<Fault, number> = {
  late: 0,
  losses: 0,
  repeats: 0,
  delays: 0,
  leaps: 0,
  pauses: 0,
  crashes: 0,
  restarts: 0,
}

/** Requests that arrive promptly unless they are late. Acquires compete, so their order is free. */
const promptCommands: ReadonlySet<Command['op']> = new Set([
  'extend',
  'inspect',
  'release',
  'forget',
  'check',
])

/** A step of a path, as text: what happens, and to whom. */
export type Step = string

/** A request or its reply, which is under way. */
type Message = {
  readonly id: string
  readonly client: ClientProcess
  readonly node: number
  readonly command: Command
  readonly guard: CommandGuard | undefined
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
  /** Undefined until the node has executed the request. */
  reply: Reply | undefined
  /** The client has canceled the request, so its reply reaches nobody. */
  isCanceled: boolean
  /** Whether others may overtake the request. */
  isLate: boolean
  /** A second copy of a request that was delivered already. It arrives at any time. */
  readonly isCopy: boolean
}

const failed = (retryable: boolean): Error =>
  Object.assign(new Error('connection lost'), { retryable })

/** One path through a world: the clients run, and each step decides what happens next. */
export class Path {
  /** The steps so far. */
  readonly steps: Step[] = []
  readonly #world: World
  readonly #renamings: readonly Renaming[]
  readonly #ledger = new Ledger()
  readonly #clients: ClientProcess[]
  readonly #nodes: Node[]
  #messages: Message[] = []
  #now = 0
  readonly #left: Record<Fault, number>

  private constructor(world: World) {
    this.#world = world
    this.#renamings = renamingsOf(world)
    this.#left = { ...none, ...world.bounds }
    this.#nodes = Array.from(
      { length: world.nodes },
      (_, rank) => new Node(rank, world.nodeRates?.[rank] ?? 1, () => this.#now),
    )
    this.#clients = world.programs.map(
      (_, index) =>
        new ClientProcess(index, world.clientRates?.[index] ?? 1, this.#renamings, () => this.#now),
    )
  }

  /** Begins a path: all clients send their first requests. */
  static async begin(world: World): Promise<Path> {
    const path = new Path(world)
    for (const [index, program] of world.programs.entries()) {
      const process = path.#clients[index]!
      const observe = new Observer(process.name, path.#ledger)
      const { name } = process
      const client = { name, key, redlock: path.#redlockOf(process), goOn: process.goOn, observe }
      process.start(
        () => program(client),
        (error) => observe.fails(error),
      )
    }
    await drained()
    return path
  }

  /** The first broken promise. */
  get violation(): Violation | undefined {
    return this.#ledger.violations[0]
  }

  /** The steps that can follow. None: the path has ended. */
  next(): Step[] {
    const prompt = this.#messages.find(({ isLate, reply }) => !isLate && !reply)
    if (prompt)
      return [...this.#messageSteps(prompt), ...this.#failureSteps([prompt.client], [prompt.node])]
    const steps = this.#messages.flatMap((message) => this.#messageSteps(message))
    for (const { name, canGoOn } of this.#clients) if (canGoOn) steps.push(`continue ${name}`)
    return [
      ...steps,
      ...this.#failureSteps(this.#clients, this.#nodes.keys()),
      ...this.#timeSteps(steps.length === 0),
    ]
  }

  #failureSteps(clients: readonly ClientProcess[], ranks: Iterable<number>): Step[] {
    const { crashes, restarts } = this.#left
    const mortal = crashes ? clients.filter(({ isAlive, isDone }) => isAlive && !isDone) : []
    const volatile = restarts ? [...ranks] : []
    return [
      ...mortal.map(({ name }) => `crash ${name}`),
      ...volatile.map((rank) => `restart n${rank}`),
    ]
  }

  #messageSteps({ id, reply, isCopy, isCanceled, isLate }: Message): Step[] {
    const { late, losses, repeats } = this.#left
    const steps = [`deliver ${id}`]
    if (isCopy || isCanceled) return steps
    if (losses) steps.push(`lose ${id}`, `break ${id}`, `fail ${id}`)
    if (reply) return steps
    if (losses) steps.push(`lose-reply ${id}`, `break-reply ${id}`, `fail-reply ${id}`)
    if (late) steps.push(`execute ${id}`)
    if (late && !isLate) steps.push(`delay ${id}`)
    if (repeats) steps.push(`repeat ${id}`)
    return steps
  }

  #timeSteps(isIdle: boolean): Step[] {
    const { delays, leaps, pauses } = this.#left
    const steps: Step[] = []
    const timer = this.#nextTimer()
    // After a pause, timers are overdue. They compete with the messages that arrived meanwhile.
    if (timer && (isIdle || delays || timer.at <= this.#now)) steps.push('wait')
    if (timer && delays && !isIdle) steps.push('tick')
    const isOpen = !isIdle || timer
    if (!isOpen || this.#nextExpiry() === undefined) return steps
    if (leaps) steps.push('leap')
    if (pauses)
      for (const { name, isAlive, isDone } of this.#clients)
        if (isAlive && !isDone) steps.push(`pause ${name}`)
    return steps
  }

  /** Takes a step. */
  async take(step: Step): Promise<void> {
    this.steps.push(step)
    const [what, whom] = step.split(' ') as [string, string]
    await this.#perform(what, whom)
    this.#ledger.checkExclusion()
  }

  async #perform(what: string, whom: string): Promise<void> {
    switch (what) {
      case 'continue':
        return this.#clientOf(whom).continue()
      case 'crash':
        this.#left.crashes--
        return this.#crash(this.#clientOf(whom))
      case 'restart':
        this.#left.restarts--
        return this.#nodes[Number(whom.slice(1))]!.restart()
      case 'wait':
      case 'tick':
      case 'leap':
      case 'pause':
        return this.#pass(what, whom)
      default:
        return this.#handle(what, this.#messageOf(whom))
    }
  }

  /** Something happens to a message. */
  async #handle(what: string, message: Message): Promise<void> {
    if (what === 'deliver') return this.#deliver(message)
    if (what === 'execute' || what === 'delay') {
      this.#left.late--
      message.isLate = true
      return what === 'execute' ? this.#execute(message) : undefined
    }
    if (what === 'repeat') {
      this.#left.repeats--
      return this.#repeat(message)
    }
    this.#left.losses--
    if (what.endsWith('-reply')) this.#execute(message)
    this.#remove(message)
    const [how] = what.split('-')
    if (how !== 'lose') await this.#fail(message, how === 'break')
  }

  /** Lets time pass. */
  async #pass(what: string, whom: string): Promise<void> {
    if (what === 'wait') {
      const { at } = this.#nextTimer()!
      const isIdle = this.#messages.length === 0 && !this.#clients.some(({ canGoOn }) => canGoOn)
      if (!isIdle && at > this.#now) this.#left.delays--
      return this.#passUntil(at)
    }
    if (what === 'tick') {
      this.#left.delays--
      return this.#passUntil(this.#now + tick)
    }
    if (what === 'leap') {
      this.#left.leaps--
      return this.#passUntil(this.#nextExpiry()!)
    }
    this.#left.pauses--
    const client = this.#clientOf(whom)
    client.isPaused = true
    await this.#passUntil(this.#nextExpiry()!)
    client.isPaused = false
  }

  /** Checks the end of a path: every call has ended, and nothing stays locked that no message can still free. */
  finish(): void {
    const ledger = this.#ledger
    for (const { name, isAlive, isDone } of this.#clients)
      if (isAlive && !isDone) ledger.violated('ends', `${name} waits forever`)
    if (this.#hasHad('losses', 'crashes', 'restarts')) return
    // A node may keep a claim if its messages take longer than the timeouts. A quorum has the record then.
    const isTimely = !this.#hasHad('delays', 'leaps', 'pauses')
    for (const [rank, { holdings }] of this.#nodes.entries())
      for (const { text, owner, isClaim } of holdings)
        if (!ledger.isKept(owner) && (isTimely || !isClaim))
          ledger.violated('leftovers', `n${rank} keeps ${text}`)
  }

  /** Whether one of these has happened. */
  #hasHad(...faults: readonly Fault[]): boolean {
    const bounds = { ...none, ...this.#world.bounds }
    return faults.some((fault) => this.#left[fault] < bounds[fault])
  }

  /** A number for the state: paths with the same number have the same futures. */
  hash(): number {
    const states = this.#renamings.map((rename, index) => hashOf(this.#describe(rename, index)))
    return Math.min(...states)
  }

  /** The state as text. The renaming gives interchangeable clients other names. */
  #describe(rename: Renaming, renaming: number): string {
    const busy = new Set(this.#messages.map(({ client }) => client))
    const clients = this.#clients.map((client) => client.describe(!busy.has(client), renaming))
    const messages = this.#messages.map(describeMessage).map(rename)
    const nodes = this.#nodes.map((node) => node.describe(rename))
    const left = Object.values(this.#left).join()
    const promised = this.#ledger.describe(rename)
    const all = [this.#now, left, ...clients.sort(), ...messages.sort(), ...nodes, promised]
    return all.join('\n')
  }

  #redlockOf(process: ClientProcess): Redlock {
    const { isVolatile = false, nodes } = this.#world
    const redlock = new Redlock({
      nodes: Array.from({ length: nodes }, (_, rank) => this.#nodeFor(process, rank)),
      ttl,
      ...(isVolatile && { maxTtl }),
      warnings: false,
      advanced: {
        random: () => 0.5,
        clock: {
          wall: () => Math.floor(epoch + process.time()),
          monotonic: () => process.time(),
          setTimer: process.setTimer,
        },
      },
    })
    return redlock.withClient({ ...redlock.client(), makeValue: process.makeValue })
  }

  #nodeFor(process: ClientProcess, rank: number): LockNode {
    return {
      name: `n${rank}`,
      resends: this.#world.bounds.repeats !== undefined,
      volatile: this.#world.isVolatile === true && quarantine(),
      run: (command, options) => this.#send(process, rank, command, options),
    }
  }

  #send(
    client: ClientProcess,
    node: number,
    command: Command,
    { signal, guard }: RunOptions,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const message: Message = {
        id: client.nextId(node),
        client,
        node,
        command,
        guard,
        resolve,
        reject,
        reply: undefined,
        isLate: !promptCommands.has(command.op),
        isCanceled: false,
        isCopy: false,
      }
      signal.addEventListener('abort', () => {
        message.isCanceled = true
        if (message.reply) this.#remove(message)
        reject(signal.reason as Error)
      })
      this.#messages.push(message)
    })
  }

  /** The node executes a request. */
  #execute(message: Message): void {
    const { command, guard, node } = message
    message.reply = this.#nodes[node]!.execute(command, guard)
  }

  /** A request is executed unless it was, and the client gets the reply. */
  async #deliver(message: Message): Promise<void> {
    const { client, id, isCanceled, isCopy } = message
    if (!message.reply) this.#execute(message)
    this.#remove(message)
    const reply = message.reply!
    if (!isCanceled && !isCopy)
      await client.resume(`${id}${JSON.stringify(reply)}`, () => message.resolve(reply))
  }

  /** The request fails. After a break, the client sends it again. */
  async #fail({ client, id, reject }: Message, isBreak: boolean): Promise<void> {
    await client.resume(`${id} ${isBreak}`, () => reject(failed(isBreak)))
  }

  /** The node executes a request, of which another copy is still under way. */
  #repeat(message: Message): void {
    this.#messages.push({ ...message, id: `${message.id}'`, isCopy: true, isLate: true })
    this.#execute(message)
    if (message.isCanceled) this.#remove(message)
  }

  /** Its requests are still under way, and nobody reads their replies. */
  #crash(client: ClientProcess): void {
    client.crash()
    this.#ledger.forget(client.name)
    this.#messages = this.#messages.filter((message) => message.client !== client || !message.reply)
  }

  #nextTimer(): Timer | undefined {
    let first: Timer | undefined
    for (const client of this.#clients) {
      const timer = client.nextTimer
      if (timer && (!first || timer.at < first.at)) first = timer
    }
    return first
  }

  /** The moment at which the next lock or claim expires on a node, or a node votes again. */
  #nextExpiry(): number | undefined {
    const next = Math.min(...this.#nodes.map(({ nextEnd }) => nextEnd))
    return next < Infinity ? next : undefined
  }

  async #passUntil(end: number): Promise<void> {
    for (let timer = this.#nextTimer(); timer && timer.at <= end; timer = this.#nextTimer()) {
      this.#now = Math.max(this.#now, timer.at)
      await timer.client.fire(timer)
      this.#ledger.checkExclusion()
    }
    this.#now = Math.max(this.#now, end)
  }

  #messageOf(id: string): Message {
    return this.#messages.find((message) => message.id === id)!
  }

  #clientOf(name: string): ClientProcess {
    return this.#clients.find((client) => client.name === name)!
  }

  #remove(message: Message): void {
    this.#messages = this.#messages.filter((one) => one !== message)
  }
}

const describeMessage = ({ id, reply, isCanceled, isCopy, isLate }: Message): string =>
  `${id}${isCanceled ? 'x' : ''}${isCopy ? 'c' : ''}${isLate ? 'l' : ''}${reply ? JSON.stringify(reply) : ''}`
