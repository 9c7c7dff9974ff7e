import { redirect } from '@sveltejs/kit'
import { createOrder } from '../../../shop.js'

export const actions = {
  default: async ({ request }) => {
    const item = (await request.formData()).get('item')
    redirect(303, `/orders/${await createOrder(item)}`)
  },
}
