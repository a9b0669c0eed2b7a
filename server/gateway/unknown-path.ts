import { GatewayError } from "@/server/base/errors";
import type { OpenCall } from "./call";
import type { EndpointDeps } from "./endpoint";

/** What clients call by its end, whatever base URL they were given. */
const ENDING =
  /\/(chat\/completions|messages\/count_tokens|messages|responses|embeddings|models|videos\/generations)\/?$/;

/** The right path for one that ends as an endpoint does, below a base URL without `/v1` or with two. null: it is none. */
export function rightPath(path: string): string | null {
  const [, name] = ENDING.exec(path) ?? [];
  const right = name === undefined ? null : `/v1/${name}`;
  return right === path ? null : right;
}

const MAX_CHARACTERS = 200;

/**
 * Refuses a path that is none of ours: in JSON, with the right one where it can be told. Who asked for what is in the
 * log, and where the key is known in its account's list of requests, so that an operator sees what clients miss.
 */
export const refusePath =
  ({ access }: EndpointDeps) =>
  async ({ request, facts }: OpenCall, peer: string | null): Promise<never> => {
    const path = new URL(request.url).pathname.slice(0, MAX_CHARACTERS);
    const address = access.addressOf(request.headers, peer);
    Object.assign(facts, {
      path: `${request.method} ${path}`,
      userAgent: request.headers.get("user-agent")?.slice(0, MAX_CHARACTERS) ?? null,
      address,
    });
    // Whoever has no key is refused with the same words: there is nothing here to protect.
    const key = await access.identify(request.headers).catch(() => null);
    if (key) {
      Object.assign(facts, { accountId: key.accountId, keyId: key.keyId });
    }
    const right = rightPath(path);
    throw right === null
      ? new GatewayError("unknownPath", path)
      : new GatewayError("wrongBaseUrl", `${path} -> ${right}`);
  };
