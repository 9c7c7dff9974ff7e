import { submit } from '../submit.js'

export default function Page() {
  return (
    <form action={submit} method="post">
      <input name="id" />
    </form>
  )
}
