/** Long histories: what they take grows as they do, whatever the client's dialect and the upstream's. */
import { expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { usualCapabilities } from "../capabilities";
import {
  parseChatConversation,
  parseGeminiConversation,
  parseMessagesConversation,
  responsesConversation,
} from "../conversations";
import { mintResponseId } from "../responses/ids";
import { parseResponsesRequest } from "../responses/request";
import type { ConversationRequest } from "../upstream-plan";

const said = { role: "assistant", content: "a" };
const asked = { role: "user", content: "b" };

/** Of so many turns of the assistant's in a row. */
const clients: Record<string, (turns: number) => () => ConversationRequest> = {
  chat: (turns) => {
    const body = JSON.stringify({ model: "m", messages: [...Array(turns).fill(said), asked] });
    return () => parseChatConversation(body);
  },
  messages: (turns) => {
    const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [...Array(turns).fill(said), asked] });
    return () => parseMessagesConversation(body, { headers: {} });
  },
  responses: (turns) => {
    const body = JSON.stringify({ model: "m", input: [...Array(turns).fill(said), asked] });
    return () => {
      const request = parseResponsesRequest(body);
      return responsesConversation(
        { id: mintResponseId(), request, items: request.input, keep: () => {} },
        9,
      );
    };
  },
  gemini: (turns) => {
    const model = { role: "model", parts: [{ text: "a" }] };
    const contents = [...Array(turns).fill(model), { role: "user", parts: [{ text: "b" }] }];
    const body = JSON.stringify({ contents });
    return () => parseGeminiConversation(body, { model: "m", delivery: "whole" });
  },
};

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const ways = Object.keys(clients).flatMap((client) => dialects.map((dialect) => ({ client, dialect })));

const TURNS = 7_000;
const ROUNDS = 3;

test.each(ways)(
  "four times the turns take about four times the work: $client to $dialect",
  ({ client, dialect }) => {
    const upstream = { dialect, name: "m", capabilities: usualCapabilities[dialect] };
    /** The least of some runs: none is faster than its work allows. */
    const workOf = (turns: number): number => {
      const read = (clients[client] as (turns: number) => () => ConversationRequest)(turns);
      const runs = Array.from({ length: ROUNDS }, () => {
        const began = cpuTimeMs();
        expect(read().planFor(upstream, { maxOutputTokens: 100, isCapped: false }).body).toContain('"b"');
        return cpuTimeMs() - began;
      });
      return Math.min(...runs);
    };
    // Quadratic, it would be sixteen times.
    expect(workOf(4 * TURNS)).toBeLessThan(9 * workOf(TURNS) + 20);
  },
);
