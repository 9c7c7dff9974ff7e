/** Whether a response is final. A 101 or a network error can be neither copied nor recorded. */
export const isFinal = ({ status }: Response): boolean => status >= 200

/** Whether a final response may have a body. https://fetch.spec.whatwg.org/#null-body-status */
export const mayHaveBody = (status: number): boolean => ![204, 205, 304].includes(status)
