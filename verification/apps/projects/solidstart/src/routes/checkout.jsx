import { checkout } from '../checkout.js'

export default function Page() {
  return (
    <form action={checkout} method="post">
      <input name="id" />
      <input name="item" />
    </form>
  )
}
