import { createFileRoute } from '@tanstack/react-router'
import { submit } from '../submit.js'

function Page() {
  return (
    <form action={submit.url} method="post">
      <input name="id" />
    </form>
  )
}

export const Route = createFileRoute('/form')({ component: Page })
