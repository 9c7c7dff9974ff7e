/**
 * Calls back once when nothing more of the response will be sent: when its body has ended, was
 * cancelled by the client or failed; at once where there is no body to wait for.
 *
 * What `done` returns is awaited before the end of the body goes out, so that work can be finished
 * where the runtime freezes after the response. It must not reject.
 *
 * @returns the response to send in place of the given one.
 */
export const afterBody = async (
  request: Request,
  response: Response,
  done: () => Promise<void>,
): Promise<Response> => {
  // The body of an answer to HEAD is dropped unread, and a 101 cannot be made anew.
  if (!response.body || request.method === 'HEAD' || response.status === 101) {
    await done()
    return response
  }
  // A source that fails, or a client that goes, ends in cancel; TypeScript does not know it yet.
  // https://streams.spec.whatwg.org/#dom-transformer-cancel
  const transformer: Transformer & { cancel: () => Promise<void> } = { flush: done, cancel: done }
  return new Response(response.body.pipeThrough(new TransformStream(transformer)), response)
}
