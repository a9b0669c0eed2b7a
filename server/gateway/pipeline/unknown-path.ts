import { withoutOurSecrets } from "@/server/access";
import type { ClientRequest } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import { behindModels, rightPath } from "@/server/endpoints";
import type { OpenCall } from "./call";
import type { EndpointDeps } from "./endpoint";
import { headersWithQueryKey } from "./query-key";
import { whyUnserved } from "./unserved";

/** Paths below which the console and the admin API answer. */
const NOT_OURS = /^\/(?:admin|api|_next)(?:\/|$)/;

/**
 * Whether a path outside of `/v1` comes from a program with a wrong base URL. `hasKey`: a key came in a place where no
 * browser puts one by itself. Without a key, paths of models and videos are the console's, which has such pages.
 */
export function isMisplaced(path: string, hasKey: boolean): boolean {
  const right = NOT_OURS.test(path) ? null : rightPath(path);
  return right !== null && (hasKey || !/^\/v1\/(?:models|videos$)/.test(right));
}

/**
 * Throws for a websocket, which no endpoint has: Codex asks for one first, and falls back to HTTP only at this status.
 */
export function refuseWebsocket({ headers }: ClientRequest): void {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") {
    // This status must name the protocol to use instead.
    throw new GatewayError("upgradeRefused", "", { headers: { upgrade: "HTTP/1.1", connection: "upgrade" } });
  }
}

/** Throws, with the reason, for an operation that a vendor has and the gateway does not. */
export function refuseUnserved({ method, url }: ClientRequest): void {
  const why = whyUnserved(method, new URL(url).pathname);
  if (why !== null) {
    throw new GatewayError("notServed", why);
  }
}

const MAX_CHARACTERS = 200;

/**
 * Refuses an unknown path in JSON, and names the right one if it can be recognized. The log, the operator's overview
 * and, if the key is known, its account's list of requests show the path and its caller.
 */
export const refusePath =
  ({ access, missed }: EndpointDeps) =>
  async ({ request, logFields: facts }: OpenCall, peer: string | null): Promise<never> => {
    const path = withoutOurSecrets(new URL(request.url).pathname).slice(0, MAX_CHARACTERS);
    const address = access.addressOf(request.headers, peer);
    const userAgent = request.headers.get("user-agent")?.slice(0, MAX_CHARACTERS) ?? null;
    Object.assign(facts, {
      path: `${request.method} ${path}`,
      userAgent,
      address,
    });
    // A call without a key gets the same words: there is nothing here to protect. An OPTIONS request, such as a
    // browser's preflight, causes no look-up of a key.
    const isQuestion = request.method === "OPTIONS";
    if (!isQuestion) {
      missed.note({ method: request.method, path, userAgent });
    }
    if (!isQuestion) {
      try {
        const { accountId, keyId } = await access.identify(headersWithQueryKey(request));
        Object.assign(facts, { accountId, keyId });
      } catch {
        // The call is refused, with or without a key.
      }
    }
    refuseWebsocket(request);
    refuseUnserved(request);
    // A path below Google's versions with an unknown operation of a model.
    const right = behindModels(path) === null ? rightPath(path) : null;
    throw right === null
      ? new GatewayError("unknownPath", path)
      : new GatewayError("wrongBaseUrl", `${path} -> ${right}`);
  };
