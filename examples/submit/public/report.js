// Requests one report ten times at the same moment, like ten visitors of a page.

const size = 10

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'))
const forgetButton = /** @type {HTMLButtonElement} */ (document.querySelector('#forget'))
const answers = /** @type {HTMLOListElement} */ (document.querySelector('#answers'))
const summary = /** @type {HTMLElement} */ (document.querySelector('#summary'))

// Each visit requests a new report.
const url = `/reports/${crypto.randomUUID().slice(0, 8)}`

/** @typedef {{ status: number | string, text: string, time: number }} Answer */

/** @returns {Promise<Answer>} */
const call = async () => {
  const start = performance.now()
  const timed = () => Math.round(performance.now() - start)
  try {
    const response = await fetch(url, { method: 'POST' })
    const body = await response.json().catch(() => ({}))
    const text = response.ok
      ? `Report ${body.number}: ${body.report.slice(0, 8)}`
      : (body.detail ?? 'The request failed.')
    return { status: response.status, text, time: timed() }
  } catch {
    return { status: 'No response', text: 'The Worker cannot be reached.', time: timed() }
  }
}

/** @param {Answer} answer */
const rowOf = ({ status, text, time }) => {
  const item = document.createElement('li')
  item.dataset.status = `${status}`
  const title = document.createElement('strong')
  title.textContent = text
  const took = document.createElement('time')
  took.textContent = `${time} ms`
  item.append(title, took)
  return item
}

const callAll = async () => {
  summary.textContent = `${size} requests are on their way.`
  answers.replaceChildren()
  const all = await Promise.all(Array.from({ length: size }, call))
  const reports = all.filter(({ status }) => status === 200)
  const runs = new Set(reports.map(({ text }) => text)).size
  summary.textContent = `${runs} ${runs === 1 ? 'run' : 'runs'} answered ${reports.length} of ${size} calls.`
  answers.replaceChildren(...all.map(rowOf))
}

const forget = async () => {
  const response = await fetch(url, { method: 'DELETE' }).catch(() => undefined)
  const { isForgotten, detail } = (await response?.json().catch(() => undefined)) ?? {}
  summary.textContent = isForgotten
    ? 'It is forgotten: the next call makes one.'
    : (detail ?? 'Some nodes did not answer: they may bring it back.')
  answers.replaceChildren()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void callAll()
})

forgetButton.addEventListener('click', () => void forget())
