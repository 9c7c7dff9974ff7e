import { clearResponses, showResponse } from './responses.js'

// Every click sends a request, as on a page without protection against double clicks. All clicks on a form share an
// idempotency key, so the Worker processes one of them and responds to all.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'))
const newForm = /** @type {HTMLButtonElement} */ (document.querySelector('#new-form'))

let key = crypto.randomUUID()
let clicks = 0

/** @param {string} name */
const valueOf = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value

/**
 * Explains a response in a sentence.
 *
 * @param {Response} response
 * @param {{ receipt?: string, detail?: string }} body
 */
const explain = (response, body) => {
  if (!response.ok) return body.detail ?? 'The request failed.'
  const receipt = `Receipt ${body.receipt?.slice(0, 8)}`
  return response.headers.get('idempotent-replayed') === 'true'
    ? `${receipt}, the stored response.`
    : `${receipt}, processed now.`
}

const sendClick = async () => {
  const click = ++clicks
  const start = performance.now()
  // Headers must be ASCII. The example takes the user from a header; a real app would use the session.
  const user = encodeURIComponent(valueOf('user'))
  const headers = { 'idempotency-key': key, 'x-user': user, 'content-type': 'text/plain' }
  try {
    const response = await fetch('/assignments/7/hand-in', {
      method: 'POST',
      headers,
      body: valueOf('text'),
    })
    // If the response is not JSON, it does not come from the routes of the example.
    const body = await response.json().catch(() => ({}))
    const time = Math.round(performance.now() - start)
    const vote = response.headers.get('x-vote') ?? ''
    showResponse(click, response.status, `${time} ms`, explain(response, body), vote)
  } catch {
    showResponse(click, 'No response', '', 'The Worker cannot be reached. Is it still running?')
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void sendClick()
})

newForm.addEventListener('click', () => {
  key = crypto.randomUUID()
  clearResponses()
})
