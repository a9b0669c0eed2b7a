/** The browser has no network: the request has not left it. */
export class Offline extends Error {
  override readonly name = "Offline";
}

const followers = new Set<() => void>();
let isCutOff = false;
/** How many requests found no network. */
let cuts = 0;

function note(isNow: boolean): void {
  if (isCutOff !== isNow) {
    isCutOff = isNow;
    for (const follow of followers) {
      follow();
    }
  }
}

/** Whether a call has found no network since the last answered call. */
export const connection = {
  isCutOff: () => isCutOff,
  subscribe: (follow: () => void) => {
    followers.add(follow);
    return () => followers.delete(follow);
  },
};

/** `fetch`. Throws Offline only if the request cannot have reached the server; a lost answer is another error. */
export async function reach(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const isOffline = !navigator.onLine;
  const earlierCuts = cuts;
  try {
    const answer = await fetch(address, init);
    // A late answer to a request from before the cut does not show that the network is back.
    if (cuts === earlierCuts) {
      note(false);
    }
    return answer;
  } catch (error) {
    // The request is made even if the browser says that it is offline: a server on this machine needs no network.
    if (!isOffline) {
      throw error;
    }
    cuts += 1;
    note(true);
    throw new Offline("the browser is offline", { cause: error });
  }
}

/** Makes a minimal request to see whether the server can be reached. */
export const probe = (): Promise<unknown> =>
  reach(new URL("healthz", window.location.origin), { method: "HEAD", cache: "no-store" }).catch(() => null);
