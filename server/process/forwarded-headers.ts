import type { IncomingHttpHeaders } from "node:http";
import { type AllowList, clientAddress } from "@/server/access";

/** Whether the text is a host: a name or an address, and optionally a port. */
export const isHost = (text: string) => /^[\w.:[\]-]{1,262}$/.test(text) && URL.canParse(`http://${text}`);

/**
 * Next cannot see the socket, and trusts these headers: it gets the one address that may be trusted, and the host and
 * scheme that a trusted proxy received. Without those two it takes the request's own.
 */
export function vouch(headers: IncomingHttpHeaders, peer: string | null, trusted: AllowList | null): void {
  const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",") || null;
  headers["x-forwarded-for"] = clientAddress(peer, forwarded, trusted) ?? "unknown";
  const isTrusted = trusted?.allows(peer) ?? false;
  // Each of several proxies may add a value: the first one is from the client.
  const firstOf = (name: string) => [headers[name] ?? []].flat().join(",").split(",", 1)[0]?.trim() ?? "";
  const forwardedHeaders = {
    "x-forwarded-host": isHost(firstOf("x-forwarded-host")) && firstOf("x-forwarded-host"),
    "x-forwarded-proto": /^https?$/.test(firstOf("x-forwarded-proto")) && firstOf("x-forwarded-proto"),
    "x-forwarded-port": /^\d{1,5}$/.test(firstOf("x-forwarded-port")) && firstOf("x-forwarded-port"),
  };
  for (const [name, value] of Object.entries(forwardedHeaders)) {
    if (isTrusted && value) {
      headers[name] = value;
    } else {
      delete headers[name];
    }
  }
}
