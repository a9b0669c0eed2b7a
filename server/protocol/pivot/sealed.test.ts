import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { callOf, planFor } from "@/tests/support/upstream-request";
import type { Dialect } from "../capabilities";
import { objects } from "../fields";
import { writeSignature } from "../gemini/signatures";
import type { ConversationRequest } from "../upstream-plan";
import { fromEnvelope, toEnvelope } from "./sealed";

const envelope = (value: unknown) => `tg1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
const sealed = toEnvelope({
  type: "thinking",
  text: "hm",
  seal: { origin: "openai", data: "BLOB" },
});

/** Texts that are no envelope of the gateway. */
const spoilt: [string, string][] = [
  ["cut off", sealed.slice(0, -9)],
  ["of another alphabet", `tg1.${"%".repeat(40)}`],
  ["of another version", sealed.replace("tg1.", "tg2.")],
  ["of an unknown vendor", envelope({ text: "hm", seal: { origin: "acme", data: "BLOB" } })],
  ["with an empty seal", envelope({ text: "hm", seal: { origin: "openai", data: "" } })],
  ["with empty redacted thinking", envelope({ data: "" })],
  ["of members with wrong types", envelope({ text: ["BLOB"], seal: { origin: "openai", data: 7 } })],
  ["no object", envelope(["BLOB"])],
  ["nested without an end", `tg1.${Buffer.from("[".repeat(200_000)).toString("base64url")}`],
  [
    "larger than any vendor's",
    envelope({ text: "", seal: { origin: "openai", data: "B".repeat(3_000_001) } }),
  ],
];

test("an envelope returns the thinking that was put into it, byte for byte", () => {
  expect(fromEnvelope(sealed)).toEqual({
    ...{ type: "thinking", text: "hm", seal: { origin: "openai", data: "BLOB" } },
  });
});

test.each(spoilt)("a broken envelope carries no thinking: %s", (_name, text) => {
  expect(fromEnvelope(text)).toBeNull();
});

const answerText = "the answer";

const [first, last] = ["a", "b"].map((content) => ({ role: "user", content }));
const answerTurn = { role: "assistant", content: answerText };

/** A conversation in which a client hands thinking back, in each dialect that has a member for it. */
const clients: Record<string, (carried: string) => ConversationRequest> = {
  responses: (encrypted_content) =>
    callOf.responses({
      input: [first, { type: "reasoning", id: "rs_1", summary: [], encrypted_content }, answerTurn, last],
    }),
  messages: (signature) => {
    const thinking = { type: "thinking", thinking: "hm", signature };
    const content = [thinking, { type: "text", text: answerText }];
    return callOf.messages({ messages: [first, { role: "assistant", content }, last] });
  },
  gemini: (carried) => {
    const thoughtSignature = Buffer.from(carried).toString("base64");
    const turn = (role: string, part: object) => ({ role, parts: [part] });
    return callOf.gemini({
      contents: [
        turn("user", { text: "a" }),
        turn("model", { text: answerText, thoughtSignature }),
        turn("user", { text: "b" }),
      ],
    });
  },
};

const bodyFor = ({ client, dialect }: { client: string; dialect: Dialect }, carried: string): string =>
  String(planFor((clients[client] as (carried: string) => ConversationRequest)(carried), dialect).body);

const ways = Object.keys(clients).flatMap((client) =>
  (["chat", "messages", "responses", "gemini"] as const).map((dialect) => ({ client, dialect })),
);
// In a forwarded call, the vendor judges any data that is not the gateway's.
const isOwn = (client: string, dialect: string) => client === dialect;

test.each(ways)(
  "no upstream gets a spoilt envelope, and the turn's text stays: $client to $dialect",
  ({ client, dialect }) => {
    for (const [name, carried] of spoilt) {
      const body = bodyFor({ client, dialect }, carried);
      expect(body, name).toContain(answerText);
      if (!isOwn(client, dialect)) {
        expect(body.includes("BLOB") || body.includes(carried), name).toBe(false);
      }
    }
  },
);

test.each(ways)(
  "sealed thinking goes only to the vendor that sealed it: $client to $dialect",
  ({ client, dialect }) => {
    const carried =
      client === "gemini"
        ? Buffer.from(
            writeSignature([{ type: "thinking", text: "hm", seal: { origin: "openai", data: "BLOB" } }]),
            "base64",
          ).toString()
        : sealed;
    const body = bodyFor({ client, dialect }, carried);
    expect(body).toContain(answerText);
    expect(body.includes("BLOB")).toBe(dialect === "responses");
  },
);

test("thinking that is too long to be read again is not put into an envelope", () => {
  const carriedOf = (reasoning_content: string) => {
    const plan = planFor(callOf.responses({ input: "a" }), "chat");
    const choices = [{ message: { content: "b", reasoning_content } }];
    const context = { model: "m", inputTokens: 1, fallbackId: "gen_1", now: new Date(0) };
    const read = atOnce(plan.readAnswer({ choices }, context));
    return typeof read === "object" && objects(read.body.output)[0]?.encrypted_content;
  };
  expect(carriedOf("a".repeat(4_000_001))).toBeUndefined();
  expect(carriedOf("abc")).toBe(toEnvelope({ type: "thinking", text: "abc", seal: null }));
});
