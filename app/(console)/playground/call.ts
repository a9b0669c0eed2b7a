import { EventSourceParserStream } from "eventsource-parser/stream";
import { Offline, reach } from "../_components/data/reach";

/** The failure of a call. */
export type CallFailure = {
  /** null: there was no answer. */
  status: number | null;
  /**
   * The answer's `x-error-code`; `unreachable` without an answer, `offline` if nothing was sent, `interrupted` if a
   * stream broke off.
   */
  slug: string;
  requestId: string | null;
  /** The answer as it came. */
  raw: string;
};

export class CallFailed extends Error {
  constructor(readonly failure: CallFailure) {
    super(failure.slug);
  }
}

export const failureOf = (error: unknown): CallFailure =>
  error instanceof CallFailed
    ? error.failure
    : {
        status: null,
        slug: error instanceof Offline ? "offline" : "unreachable",
        requestId: null,
        raw: String(error),
      };

type GatewayCall = { path: string; body?: object; headers?: Record<string, string>; signal?: AbortSignal };

/** A call of `/v1` under the session. Throws CallFailed for an answer that is an error. */
export async function callGateway({ path, body, headers, signal }: GatewayCall): Promise<Response> {
  const response = await reach(`/api/playground/${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    // The console's language, which may differ from the browser's.
    headers: {
      "content-type": "application/json",
      "accept-language": document.documentElement.lang,
      ...headers,
    },
    ...(signal && { signal }),
  });
  if (!response.ok) {
    throw new CallFailed({
      status: response.status,
      slug: response.headers.get("x-error-code") ?? "",
      requestId: response.headers.get("x-request-id"),
      raw: await response.text(),
    });
  }
  return response;
}

/** The data of each event of a streamed answer. A caller that stops early has to abort the call itself. */
export async function* eventsOf(response: Response): AsyncGenerator<string> {
  if (!response.body) {
    return;
  }
  // TypeScript's and the browser's types disagree about the buffers that a decoder takes.
  const decoder = new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>;
  const reader = response.body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    yield next.value.data;
  }
}
