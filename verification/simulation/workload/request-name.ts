/** The only request of a history. Each client repeats it until it has an answer. */
export const requestName = 'request'
