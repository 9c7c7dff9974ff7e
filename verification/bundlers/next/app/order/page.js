import { connection } from 'next/server'
import { submit } from './actions.js'

/** The form of docs/guides/vercel.md. */
export default async function Page() {
  await connection()
  return (
    <form action={submit}>
      <input type="hidden" name="id" value={crypto.randomUUID()} />
      <button>Order</button>
    </form>
  )
}
