/** The name of the only request in a history. Each client repeats it until it receives a response. */
export const requestName = 'request'
