// The list of responses on the page, which the pages of all forms share.

/** How many responses stay on the page. */
const maxResponses = 12

const list = /** @type {HTMLOListElement} */ (document.querySelector('#answers'))
const placeholder = /** @type {HTMLElement} */ (document.querySelector('#no-answers'))

/** @type {Readonly<Record<number, string>>} */
const titles = {
  201: 'Created',
  202: 'Accepted',
  409: 'Conflict',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/**
 * Shows a response above the earlier ones.
 *
 * @param {number} click
 * @param {string | number} status
 * @param {string} time
 * @param {string} sentence
 * @param {string} [vote] the ID of this request, with which npm start finds the votes of the nodes
 */
export const showResponse = (click, status, time, sentence, vote = '') => {
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
  list.prepend(item)
  while (list.children.length > maxResponses) list.lastElementChild?.remove()
  placeholder.hidden = true
}

/** Removes all responses. */
export const clearResponses = () => {
  list.replaceChildren()
  placeholder.hidden = false
}
