import { submit } from './actions.js'

export default function Page() {
  return (
    <form action={submit}>
      <input name="id" />
    </form>
  )
}
