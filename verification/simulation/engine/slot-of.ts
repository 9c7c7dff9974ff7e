import { slotScript } from '../../../src/redis/scripts/slot-script.ts'
import { holderOf, type ScriptCall, type WireReply } from '../../../tools/redis-wire.ts'

/**
 * A slot is a lock, so this converts a call of the slot script and its reply to those of the lock script. The keys are
 * those of the granted slot. Calls of other scripts are returned unchanged.
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
  // A client must not be rejected because of a slot that it holds itself.
  const own = holderOf(owner)
  const isOwn = reply.holder.split(' ').includes(own.slice(1))
  return [call, { ...reply, holder: isOwn ? own : reply.holder.split(' ')[0]! }]
}
