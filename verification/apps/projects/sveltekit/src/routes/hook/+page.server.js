import { redirect } from '@sveltejs/kit'
import { order } from '../../../work.js'

export const actions = {
  default: async ({ request }) => {
    const id = (await request.formData()).get('id')
    redirect(303, `/done?order=${await order(id)}`)
  },
}
