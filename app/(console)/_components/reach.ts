/** The browser is without a network: nothing that was asked has left it. */
export class Offline extends Error {
  override readonly name = "Offline";
}

/**
 * `fetch`. Throws Offline where nothing can have reached the server; an answer that is lost later says nothing of
 * that.
 */
export async function reach(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const isOffline = !navigator.onLine;
  try {
    return await fetch(address, init);
  } catch (error) {
    // Asked all the same: a server on this very machine needs no network.
    throw isOffline ? new Offline("the browser is offline", { cause: error }) : error;
  }
}
