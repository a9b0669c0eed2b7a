/**
 * Limits the requests that each person has open. Returns a function that releases the request's place (a second call
 * does nothing), or null if all places are taken. A client that hangs up releases its place.
 *
 * A place holds its request: the signal of a collected `Request` does not abort any more, because Node keeps the source
 * of the abort alive through the request only.
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
