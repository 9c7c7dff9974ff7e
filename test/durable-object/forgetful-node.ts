import { InspectedNode } from './inspected-node.ts'

/** An object that is broken on purpose: it forgets its keys when it is evicted. */
export class ForgetfulNode extends InspectedNode {
  constructor(...given: ConstructorParameters<typeof InspectedNode>) {
    super(...given)
    const { kv } = this.ctx.storage
    for (const [key] of Array.from(kv.list())) kv.delete(key)
  }
}
