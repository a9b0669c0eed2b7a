import { describe, expect, test } from "vitest";
import { readRecording } from "./chat-oracle";
import { loadRecording, type Recording } from "./corpus";
import { type Crossed, chatAsMessage, messageAsChat, settlementOf } from "./crossed-oracle";
import { offeredNames, toolNames } from "./crossed-request";
import { asGeminiRequest, askGemini, checkGemini } from "./gemini-client";
import { readMessages } from "./messages-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { act, checkLedger, setStage } from "./stage";
import { replaySuite } from "./suite";

type Source = {
  dialect: "openai" | "anthropic";
  endpoints: string[];
  read: (recording: Recording) => Crossed;
};

/** A refusal is in the upstream's own words: only Claude Code acts on others. */
function asSaid(recording: Recording): Crossed {
  const crossed = chatAsMessage(readRecording(recording));
  const message = crossed.kind === "refused" ? crossed.refused.message : null;
  return crossed.kind === "refused" && message !== null
    ? {
        kind: "refused",
        refused: { ...crossed.refused, message: message.replace(/^prompt is too long: /, "") },
      }
    : crossed;
}

const sources: Source[] = [
  { dialect: "openai", endpoints: ["openai.chat"], read: asSaid },
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
      "a recording in the dialect $dialect is Google's SDK's answer",
      ({ dialect, endpoints, read }) => {
        const exchanges = all.filter((exchange) => endpoints.includes(exchange.endpoint));

        test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
          "$dir",
          async ({ exchange }) => {
            const recording = loadRecording(exchange);
            const stage = await setStage(world(), recording, { dialect, kind: "chat" });
            const crossed = read(recording);
            const { gateway, secret, model, isStream } = stage;
            for (const apiVersion of ["v1", "v1beta"] as const) {
              const random = randomOf(`${exchange.dir} gemini ${apiVersion}`);
              const { result, asked } = await act(
                stage,
                (bytes: Buffer) => cutAtRandom(bytes, random),
                () =>
                  askGemini(
                    { url: gateway.url, secret, apiVersion },
                    asGeminiRequest(recording, model),
                    isStream,
                  ),
              );
              expect(offeredNames(asked[0]?.body ?? {})).toEqual(toolNames(recording));
              checkGemini({ crossed, model }, result);
              await checkLedger(stage, settlementOf(crossed));
            }
          },
        );
      },
    );
  },
);
