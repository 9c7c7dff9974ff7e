// Every click sends a request, as on a page without protection against double clicks. All clicks on a form share an
// idempotency key, so the Worker processes one of them and responds to all.

/** How many responses stay on the page. */
const maxAnswers = 12

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'))
const newForm = /** @type {HTMLButtonElement} */ (document.querySelector('#new-form'))
const answers = /** @type {HTMLOListElement} */ (document.querySelector('#answers'))
const noAnswers = /** @type {HTMLElement} */ (document.querySelector('#no-answers'))

let key = crypto.randomUUID()
let clicks = 0

/** @type {Readonly<Record<number, string>>} */
const titles = {
  201: 'Created',
  409: 'Conflict',
  422: 'Unprocessable Content',
  503: 'Service Unavailable',
}

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

/**
 * @param {number} click
 * @param {string | number} status
 * @param {string} time
 * @param {string} sentence
 * @param {string} [vote] names the votes of the nodes on this request, which npm start shows
 */
const show = (click, status, time, sentence, vote = '') => {
  const item = document.createElement('li')
  item.dataset.status = `${status}`
  item.dataset.vote = vote
  const title = document.createElement('strong')
  title.textContent = `${status} ${titles[Number(status)] ?? ''}`.trim()
  const took = document.createElement('time')
  took.textContent = time
  const detail = document.createElement('small')
  detail.textContent = `Click ${click}. ${sentence}`
  item.append(title, took, detail)
  answers.prepend(item)
  while (answers.children.length > maxAnswers) answers.lastElementChild?.remove()
  noAnswers.hidden = true
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
    show(click, response.status, `${time} ms`, explain(response, body), vote)
  } catch {
    show(click, 'No response', '', 'The Worker cannot be reached. Is it still running?')
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void sendClick()
})

newForm.addEventListener('click', () => {
  key = crypto.randomUUID()
  answers.replaceChildren()
  noAnswers.hidden = false
})
