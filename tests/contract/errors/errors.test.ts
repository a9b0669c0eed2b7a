import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { staged } from "@/tests/support/per-file";
import { answerWith } from "@/tests/support/upstream";
import { chatRows, messagesRows } from "./own-rows";
import { type Endpoint, endpoints, type RefusalRow } from "./row";
import { sharedRows } from "./shared-rows";
import { openaiVideoRows, videoPrices, videoRows } from "./video-rows";

const { gateway, upstream } = staged(answerWith("fine"));

/** Its own model and channel, so that a broken upstream trips no other test's breaker. */
async function modelOf(row: RefusalRow, { kind, dialect }: Endpoint): Promise<string> {
  if (row.model) {
    return await row.model(gateway);
  }
  if (row.upstream) {
    upstream.answer(row.upstream);
  }
  const model = await gateway.model({ kind, ...(kind === "video" && { videoPrices }) });
  await gateway.channel({ model, dialect, baseUrl: upstream.baseUrl });
  return model;
}

async function send(row: RefusalRow, endpoint: Endpoint, key: Record<string, string>): Promise<Response> {
  const method = row.method ?? (row.path ? "GET" : "POST");
  const headers = { "content-type": "application/json", ...endpoint.headers, ...key, ...row.headers };
  const model = await modelOf(row, endpoint);
  const body =
    typeof row.body === "string" ? row.body : JSON.stringify({ model, ...endpoint.body, ...row.body });
  return await fetch(`${gateway.url}${row.path ?? endpoint.path}`, {
    method,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== "")),
    ...(method !== "GET" && { body }),
  });
}

describe.each([
  { endpoint: endpoints.chat, rows: chatRows },
  { endpoint: endpoints.messages, rows: messagesRows },
  { endpoint: endpoints.embeddings, rows: [] },
  { endpoint: endpoints.videos, rows: videoRows },
  { endpoint: endpoints.openaiVideos, rows: openaiVideoRows },
])(
  "$endpoint.path: every refusal is the envelope, costs nothing and freezes nothing",
  ({ endpoint, rows }) => {
    test.each([...sharedRows(endpoint), ...rows])("$status $slug: $name", async (row) => {
      const customer = await (row.customer?.(gateway) ?? gateway.customer());
      const key = row.key ? row.key(customer) : { authorization: `Bearer ${customer.secret}` };
      const response = await send(row, endpoint, key);
      const body = (await response.json()) as Record<string, unknown>;
      expect(body).toMatchObject({ code: row.status, data: null });
      expect(response.status).toBe(row.status);
      // Endpoints of the specification have exactly its envelope.
      const isOurs = endpoint === endpoints.openaiVideos || row.path?.endsWith("/content");
      const isSpecified = !isOurs && row.slug !== "unknown_path";
      const added = isSpecified ? [] : ["error", "type"];
      expect(Object.keys(body).sort()).toEqual(["code", "data", "message", ...added].sort());
      expect(body.message).toEqual(
        row.message instanceof RegExp ? expect.stringMatching(row.message) : row.message,
      );
      expect(response.headers.get("x-error-code")).toBe(row.slug);
      expect(response.headers.get("x-request-id")).toBe(response.headers.get("request-id"));
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      await eventually(() => gateway.balance(customer.accountId)).toMatchObject({ used: 0n, frozen: 0n });
    });
  },
);
