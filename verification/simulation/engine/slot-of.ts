import { slotScript } from '../../../src/redis/scripts/slot-script.ts'
import { holderOf, type ScriptCall, type WireReply } from '../../../tools/redis-wire.ts'

/**
 * A call of the script of slots and its reply as those of a lock, since a slot is a lock: with the keys of
 * the slot that was granted. Those of other scripts are returned as they are.
 */
export const slotOf = (call: ScriptCall, reply: WireReply): readonly [ScriptCall, WireReply] => {
  if (call.script !== slotScript) return [call, reply]
  const [, owner, , fenceTtl] = call.args
  if (reply.status === 'granted') {
    const stride = fenceTtl === '0' ? 1 : 2
    const first = (reply.left - 1) * stride
    return [
      { ...call, keys: call.keys.slice(first, first + stride) },
      { ...reply, left: -1 },
    ]
  }
  // A client must not be refused because of a slot that it holds itself.
  const own = holderOf(owner)
  const isOwn = reply.holder.split(' ').includes(own.slice(1))
  return [call, { ...reply, holder: isOwn ? own : reply.holder.split(' ')[0]! }]
}
