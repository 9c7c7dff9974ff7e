import { showResponse } from './responses.js'

// Every click sends a request, as on a page without protection against double clicks. The Worker accepts one of them.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'))

let clicks = 0

/** @param {string} name */
const valueOf = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value

/**
 * Sends one submission, and measures the time from the request to the end of the response.
 *
 * @param {string} user
 * @param {string} assignment
 */
const submit = async (user, assignment) => {
  const start = performance.now()
  const response = await fetch(`/assignments/${encodeURIComponent(assignment)}/submit`, {
    method: 'POST',
    // Headers must be ASCII. The example takes the user from a header; a real app would use the session.
    headers: { 'x-user': encodeURIComponent(user) },
  })
  // If the response is not JSON, it does not come from the routes of the example.
  const body = await response.json().catch(() => ({}))
  return { response, body, time: Math.round(performance.now() - start) }
}

/**
 * Explains a response in a sentence.
 *
 * @param {Response} response
 * @param {{ submission?: string, detail?: string }} body
 */
const explain = (response, body) => {
  if (response.ok) return `Stored as submission ${body.submission?.slice(0, 8)}.`
  const seconds = response.headers.get('retry-after')
  const advice = seconds ? ` Retry after ${seconds} s.` : ''
  return response.status === 429
    ? `Another request of this user was accepted in the last five seconds.${advice}`
    : `${body.detail ?? 'The request failed.'}${advice}`
}

const sendClick = async () => {
  const click = ++clicks
  try {
    const { response, body, time } = await submit(valueOf('user'), valueOf('assignment'))
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

document.querySelector('#ten')?.addEventListener('click', () => {
  if (!form.reportValidity()) return
  for (let click = 0; click < 10; click++) void sendClick()
})
