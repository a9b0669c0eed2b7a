/** The browser is without a network: nothing that was asked has left it. */
export class Offline extends Error {
  override readonly name = "Offline";
}

const followers = new Set<() => void>();
let isCutOff = false;

function note(isNow: boolean): void {
  if (isCutOff !== isNow) {
    isCutOff = isNow;
    for (const follow of followers) {
      follow();
    }
  }
}

/** Whether a call has found no network since the last one that found it. */
export const connection = {
  isCutOff: () => isCutOff,
  subscribe: (follow: () => void) => {
    followers.add(follow);
    return () => followers.delete(follow);
  },
};

/**
 * `fetch`. Throws Offline where nothing can have reached the server; an answer that is lost later says nothing of
 * that.
 */
export async function reach(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const isOffline = !navigator.onLine;
  try {
    const answer = await fetch(address, init);
    note(false);
    return answer;
  } catch (error) {
    // Asked all the same: a server on this very machine needs no network.
    if (!isOffline) {
      throw error;
    }
    note(true);
    throw new Offline("the browser is offline", { cause: error });
  }
}

/** Asks for next to nothing, to see whether the server can be reached. */
export const probe = (): Promise<unknown> =>
  reach(new URL("healthz", window.location.origin), { method: "HEAD", cache: "no-store" }).catch(() => null);
