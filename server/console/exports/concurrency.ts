/**
 * Counts the requests that each person has open. Answers how a request's place is given back, which twice does nothing;
 * null when all of them are taken. A client that hangs up gives its place back.
 *
 * A place holds its request: the signal of a `Request` that was collected does not abort any more, for Node holds what
 * aborts it by the request alone.
 */
export function capConcurrency(atOnce: number): (who: string, request: Request) => (() => void) | null {
  const open = new Map<string, Set<Request>>();
  return (who, request) => {
    const requests = open.get(who) ?? new Set();
    if (requests.size >= atOnce) {
      return null;
    }
    open.set(who, requests.add(request));
    const giveBack = () => {
      if (requests.delete(request) && requests.size === 0) {
        open.delete(who);
      }
    };
    request.signal.addEventListener("abort", giveBack);
    if (request.signal.aborted) {
      giveBack();
    }
    return giveBack;
  };
}
