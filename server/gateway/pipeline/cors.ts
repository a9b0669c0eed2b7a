import type { ClientRequest } from "@/server/base/client-request";
import type { Reply } from "@/server/base/reply";

/** Far more than any client asks for. */
const MAX_CHARACTERS = 2_000;
const PREFLIGHT_SECONDS = 86_400;

/** How pages of other origins may call `/v1`. Keys are no cookies, so the browser sends no credentials by itself. */
export type Cors = {
  /** The answer to a browser's preflight request. null: another request. */
  preflight: (request: ClientRequest) => Reply | null;
  /** The headers that let the calling page read an answer. */
  headersFor: (request: ClientRequest) => Record<string, string>;
};

/** `origins`: the origins that may call. `*` among them allows all. */
export function createCors(origins: readonly string[]): Cors {
  const isOpen = origins.includes("*");
  const allowed = new Set(origins);
  const headersFor = ({ headers }: ClientRequest): Record<string, string> => {
    const origin = headers.get("origin");
    if (origin === null || !(isOpen || allowed.has(origin))) {
      return isOpen || origins.length === 0 ? {} : { vary: "origin" };
    }
    return {
      "access-control-allow-origin": isOpen ? "*" : origin,
      "access-control-expose-headers": "*",
      ...(!isOpen && { vary: "origin" }),
    };
  };
  return {
    headersFor,
    preflight: (request) => {
      const method = request.headers.get("access-control-request-method");
      if (request.method !== "OPTIONS" || method === null || origins.length === 0) {
        return null;
      }
      // By name, because `*` does not cover `authorization`.
      const requestedHeaders = (request.headers.get("access-control-request-headers") ?? "").slice(
        0,
        MAX_CHARACTERS,
      );
      return {
        status: 204,
        headers: {
          ...headersFor(request),
          "access-control-allow-methods": "GET, POST, DELETE",
          ...(requestedHeaders !== "" && { "access-control-allow-headers": requestedHeaders }),
          "access-control-max-age": String(PREFLIGHT_SECONDS),
        },
        body: "",
      };
    },
  };
}
