// Runs in the page of the Worker, and adds the votes of the nodes to each response.

// In ms. After this time, all healthy nodes have replied, including those for which the call did not wait.
const patience = 400

const meanings: Readonly<Record<string, string>> = {
  granted: 'granted',
  locked: 'held by another click',
  none: 'no reply',
}

const legend =
  'Each dot is the vote of a node on a click: filled if it granted, a ring if it holds the key for ' +
  'another click, dashed if it did not reply.'

/** Explains the dots once the first ones appear. */
const explain = (list: Element): void => {
  if (list.previousElementSibling?.className === 'about') return
  const about = document.createElement('p')
  about.className = 'about'
  about.textContent = legend
  list.before(about)
}

const showVotes = async (answer: HTMLElement): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, patience))
  const response = await fetch(`/votes/${answer.dataset.vote}`).catch(() => undefined)
  if (!response?.ok) return
  const votes = (await response.json()) as string[]
  const dots = document.createElement('span')
  dots.className = 'votes'
  dots.role = 'img'
  const texts = votes.map((vote, index) => `node ${index + 1} ${meanings[vote] ?? 'no vote'}`)
  dots.ariaLabel = `Votes: ${texts.join(', ')}`
  for (const [index, vote] of votes.entries()) {
    const dot = document.createElement('span')
    dot.dataset.vote = vote
    dot.title = `Node ${index + 1}: ${meanings[vote] ?? 'no vote'}`
    dots.append(dot)
  }
  answer.append(dots)
  if (answer.parentElement) explain(answer.parentElement)
}

/** Starts to watch the list of responses. */
export const watchAnswers = (list: Element): void => {
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node instanceof HTMLElement && node.dataset.vote) void showVotes(node)
      }
    }
  }).observe(list, { childList: true })
}
