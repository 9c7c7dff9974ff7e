import { checkout } from './actions.js'

export default function Page() {
  return (
    <form action={checkout}>
      <input name="id" />
      <input name="item" />
    </form>
  )
}
