/** Recordings of chat and of messages, as OpenAI's and Google's own clients read them in their dialects. */
import { describe, expect, test } from "vitest";
import { readRecording } from "./chat-oracle";
import { loadRecording, type Recording } from "./corpus";
import { type Crossed, chatAsMessage, messageAsChat, settlementOf } from "./crossed-oracle";
import { asResponsesRequest, offeredNames, toolNames } from "./crossed-request";
import { asGeminiRequest, askGemini, checkGemini } from "./gemini-client";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { askResponses, checkResponse } from "./responses-client";
import { act, checkLedger, type Stage, setStage } from "./stage";
import { replaySuite } from "./suite";

type Source = {
  dialect: "openai" | "anthropic";
  endpoints: string[];
  read: (recording: Recording) => Crossed;
};

const sources: Source[] = [
  {
    dialect: "openai",
    endpoints: ["openai.chat"],
    read: (recording) => chatAsMessage(readRecording(recording)),
  },
  {
    dialect: "anthropic",
    endpoints: ["anthropic.messages", "vertex.anthropic"],
    read: (recording) => messageAsChat(readMessages(recording)),
  },
];

/** A refusal is in the upstream's own words: only Claude Code acts on others. */
function inOwnWords(crossed: Crossed): Crossed {
  if (crossed.kind !== "refused" || crossed.refused.message === null) {
    return crossed;
  }
  const message = crossed.refused.message.replace(/^prompt is too long: /, "");
  return { kind: "refused", refused: { ...crossed.refused, message } };
}

/** Asks by a client for the answer of a recording; then says what it must have read. */
type Client = { name: string; ask: (scene: Stage) => () => Promise<(crossed: Crossed) => void> };

const clients: Client[] = [
  ...([6, 7] as const).map((major) => ({
    name: `responses ${major}`,
    ask:
      ({ gateway, secret, model, recording, isStream }: Stage) =>
      async () => {
        const body = asResponsesRequest(recording, model, isStream);
        const read = await askResponses({ major, url: gateway.url, secret }, body);
        return (crossed: Crossed) => checkResponse({ crossed, model }, read);
      },
  })),
  ...(["v1", "v1beta"] as const).map((apiVersion) => ({
    name: `gemini ${apiVersion}`,
    ask:
      ({ gateway, secret, model, recording, isStream }: Stage) =>
      async () => {
        const door = { url: gateway.url, secret, apiVersion };
        const read = await askGemini(door, asGeminiRequest(recording, model), isStream);
        return (crossed: Crossed) => checkGemini({ crossed: inOwnWords(crossed), model }, read);
      },
  })),
];

replaySuite(
  sources.flatMap(({ endpoints }) => endpoints),
  (all, world) => {
    describe.each(sources)(
      "a recording in the dialect $dialect is an answer of OpenAI's and of Google's SDKs",
      ({ dialect, endpoints, read }) => {
        const exchanges = all.filter((exchange) => endpoints.includes(exchange.endpoint));

        test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
          "$dir",
          async ({ exchange }) => {
            const recording = loadRecording(exchange);
            const crossed = read(recording);
            // Three refusals leave a channel's breaker closed: two of each SDK's.
            for (const half of [clients.slice(0, 2), clients.slice(2)]) {
              const stage = await setStage(world(), recording, { dialect, kind: "chat" });
              for (const { name, ask } of half) {
                const random = randomOf(`${exchange.dir} ${name}`);
                const cut = (bytes: Buffer) => cutAtRandom(bytes, random);
                const { result: check, asked } = await act(stage, cut, ask(stage));
                expect(offeredNames(asked[0]?.body ?? {})).toEqual(toolNames(recording));
                check(crossed);
                await checkLedger(stage, settlementOf(crossed));
              }
            }
          },
        );
      },
    );
  },
);
