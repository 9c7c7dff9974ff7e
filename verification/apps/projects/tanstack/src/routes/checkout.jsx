import { createFileRoute } from '@tanstack/react-router'
import { checkout } from '../checkout.js'

function Page() {
  return (
    <form action={checkout.url} method="post">
      <input name="id" />
      <input name="item" />
    </form>
  )
}

export const Route = createFileRoute('/checkout')({ component: Page })
