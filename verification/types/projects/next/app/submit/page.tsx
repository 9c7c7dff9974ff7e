'use client'

import { useActionState } from 'react'
import { submit } from './actions'

export default function SubmitPage() {
  const [{ message }, action, isPending] = useActionState(submit, { message: '' })
  return (
    <form action={action}>
      <input name="text" />
      <button disabled={isPending}>Submit</button>
      <output>{message}</output>
    </form>
  )
}
