/** The one request of a history: all clients send it, again and again until they have its answer. */
export const requestName = 'request'
