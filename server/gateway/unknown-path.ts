import { withoutOurSecrets } from "@/server/access";
import { GatewayError } from "@/server/base/errors";
import type { OpenCall } from "./call";
import type { EndpointDeps } from "./endpoint";
import { behindModels } from "./path-model";
import { headersWithQueryKey } from "./query-key";
import { whyUnserved } from "./unserved";

/** What follows the prefix of an identifier. */
const ID = "[\\w-]+";

/** What clients call by its end, whatever base URL they were given; of those that end alike, the longer one first. */
const ENDINGS = [
  "chat/completions",
  "completions",
  "images/generations",
  "images/edits",
  "audio/speech",
  "audio/transcriptions",
  "audio/translations",
  "rerank",
  "moderations",
  "messages/count_tokens",
  "messages",
  "responses/(?:input_tokens|compact)",
  `responses(?:/resp_${ID}(?:/(?:cancel|input_items))?)?`,
  `conversations(?:/conv_${ID}(?:/items(?:/${ID})?)?)?`,
  "embeddings",
  "models(?:/[^/]+)?",
  "dashboard/billing/(?:subscription|usage)",
  "credits",
  `videos/generations(?:/${ID}(?:/content)?)?`,
  `videos(?:/task_${ID}(?:/(?:content|remix))?)?`,
];
const ENDING = new RegExp(`/(${ENDINGS.join("|")})/?$`);

/** Below these paths the console and the admin API answer for themselves. */
const NOT_OURS = /^\/(?:admin|api|_next)(?:\/|$)/;

/** The right path for one that ends as an endpoint does, below a base URL without `/v1` or with two. null: it is none. */
export function rightPath(path: string): string | null {
  const [, name] = ENDING.exec(path) ?? [];
  const right = name === undefined ? null : `/v1/${name}`;
  return right === path ? null : right;
}

/**
 * Whether a path outside of `/v1` is a program's that has a wrong base URL. `hasKey`: one came where no browser puts one
 * by itself; the console has pages of models and of videos, too.
 */
export function isMisplaced(path: string, hasKey: boolean): boolean {
  const right = NOT_OURS.test(path) ? null : rightPath(path);
  return right !== null && (hasKey || !/^\/v1\/(?:models|videos$)/.test(right));
}

/** Throws for a websocket, which no endpoint has: Codex asks for one first, and goes on over HTTP only at this status. */
export function refuseWebsocket({ headers }: Request): void {
  if (headers.get("upgrade")?.toLowerCase() === "websocket") {
    // What there is instead, which this status must name.
    throw new GatewayError("upgradeRefused", "", { headers: { upgrade: "HTTP/1.1", connection: "upgrade" } });
  }
}

/** Throws for what a vendor has and the gateway does not, with the reason. */
export function refuseUnserved({ method, url }: Request): void {
  const why = whyUnserved(method, new URL(url).pathname);
  if (why !== null) {
    throw new GatewayError("notServed", why);
  }
}

const MAX_CHARACTERS = 200;

/**
 * Refuses a path that is none of ours: in JSON, with the right one where it can be told. Who asked for what is in the
 * log, on the operator's overview, and where the key is known in its account's list of requests.
 */
export const refusePath =
  ({ access, missed }: EndpointDeps) =>
  async ({ request, facts }: OpenCall, peer: string | null): Promise<never> => {
    const path = withoutOurSecrets(new URL(request.url).pathname).slice(0, MAX_CHARACTERS);
    const address = access.addressOf(request.headers, peer);
    const userAgent = request.headers.get("user-agent")?.slice(0, MAX_CHARACTERS) ?? null;
    Object.assign(facts, {
      path: `${request.method} ${path}`,
      userAgent,
      address,
    });
    // Whoever has no key is refused with the same words: there is nothing here to protect.
    // A browser's question before a call has none, and whatever looks like one looks nobody up.
    const isQuestion = request.method === "OPTIONS";
    if (!isQuestion) {
      missed.note({ method: request.method, path, userAgent });
    }
    const key = isQuestion ? null : await access.identify(headersWithQueryKey(request)).catch(() => null);
    if (key) {
      Object.assign(facts, { accountId: key.accountId, keyId: key.keyId });
    }
    refuseWebsocket(request);
    refuseUnserved(request);
    // A path below Google's versions with an unknown operation of a model.
    const right = behindModels(path) === null ? rightPath(path) : null;
    throw right === null
      ? new GatewayError("unknownPath", path)
      : new GatewayError("wrongBaseUrl", `${path} -> ${right}`);
  };
