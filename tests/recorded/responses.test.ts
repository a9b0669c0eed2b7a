import { describe, expect, test } from "vitest";
import { readRecording } from "./chat-oracle";
import { loadRecording, type Recording } from "./corpus";
import { type Crossed, chatAsMessage, messageAsChat, settlementOf } from "./crossed-oracle";
import { asResponsesRequest, offeredNames, toolNames } from "./crossed-request";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { askResponses, checkResponse } from "./responses-client";
import { act, checkLedger, setStage } from "./stage";
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

replaySuite(
  sources.flatMap(({ endpoints }) => endpoints),
  (all, world) => {
    describe.each(sources)(
      "a recording in the dialect $dialect is a response",
      ({ dialect, endpoints, read }) => {
        const exchanges = all.filter((exchange) => endpoints.includes(exchange.endpoint));

        test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
          "$dir",
          async ({ exchange }) => {
            const recording = loadRecording(exchange);
            const stage = await setStage(world(), recording, { dialect, kind: "chat" });
            const crossed = read(recording);
            const { gateway, secret, model, isStream } = stage;
            for (const major of [6, 7] as const) {
              const random = randomOf(`${exchange.dir} responses ${major}`);
              const body = asResponsesRequest(recording, model, isStream);
              const { result, asked } = await act(
                stage,
                (bytes: Buffer) => cutAtRandom(bytes, random),
                () => askResponses({ major, url: gateway.url, secret }, body),
              );
              expect(offeredNames(asked[0]?.body ?? {})).toEqual(toolNames(recording));
              checkResponse({ crossed, model }, result);
              await checkLedger(stage, settlementOf(crossed));
            }
          },
        );
      },
    );
  },
);
