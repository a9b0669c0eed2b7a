import OpenAI from "openai";
import type { Sql } from "postgres";
import { sqlOf } from "@/server/db/handles";
import { perFile, served } from "./per-file";
import { answerWith } from "./upstream";

type By = { secret: string };
type RoomCall = { body?: object; by?: By };

export const user = (content: string) => ({ type: "message" as const, role: "user" as const, content });

/**
 * For a file's tests: a model whose upstream says hello, a customer, and functions for the customer's conversations.
 */
export function conversationRoom() {
  const { gateway, upstream: chat, model } = served(answerWith("Hello there"));
  const customer = perFile(() => gateway.customer());
  const clientOf = ({ secret }: By) =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
  const client = () => clientOf(customer);

  /** The texts of a conversation, in order. */
  async function textsOf(id: string, by = client()): Promise<string[]> {
    const items: { content?: { text: string }[] }[] = [];
    for await (const item of by.conversations.items.list(id, { order: "asc", limit: 100 })) {
      items.push(item as (typeof items)[number]);
    }
    return items.flatMap(({ content = [] }) => content.map(({ text }) => text));
  }

  const newConversation = async (...texts: string[]) =>
    (await client().conversations.create({ items: texts.map(user) })).id;

  /** Calls one of the endpoints. Returns the status, and the error of a refusal. */
  async function call(method: string, path: string, { body, by = customer }: RoomCall = {}) {
    const answer = await fetch(`${gateway.url}/v1/${path}`, {
      method,
      headers: { "x-api-key": by.secret, "content-type": "application/json", "accept-language": "en" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { message = "", ...rest } = (await answer.json()) as Record<string, unknown>;
    const slug = answer.headers.get("x-error-code");
    return { status: answer.status, slug, message: String(message), body: rest };
  }

  const sql = () => sqlOf(gateway.runtime.db) as Sql;
  return { gateway, chat, model, customer, clientOf, client, textsOf, newConversation, call, sql };
}
