'use client'
import { useState } from 'react'

const submit = async () =>
  (await fetch('/submit', { method: 'POST', headers: { 'x-user': 'ada' } })).status

export default function Page() {
  const [statuses, setStatuses] = useState<number[]>([])
  const submitTenTimes = async () =>
    setStatuses(await Promise.all(Array.from({ length: 10 }, submit)))
  return (
    <main>
      <h1>Submit</h1>
      <p>
        The button sends ten submits of one user simultaneously. One is accepted in five seconds.
      </p>
      <button type="button" onClick={submitTenTimes}>
        Submit ten times
      </button>
      <p role="status">{statuses.join(' ') || 'No answers yet.'}</p>
    </main>
  )
}
