import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { loadRecording, type RecordedExchange, type Recording } from "./corpus";
import { type Crossed, isSilent } from "./crossed-oracle";
import { askGemini, checkForwarded } from "./gemini-client";
import { asEvents, readGemini } from "./gemini-oracle";
import { cutAtRandom, randomOf } from "./replay";
import { askResponses, checkResponse } from "./responses-client";
import { act, checkLedger, type Stage, setStage, settlementOf } from "./stage";
import { type ReplayWorld, replaySuite, rowsOf } from "./suite";

/** Converts a stream that was recorded as an array into events, because the gateway requests events. */
function loadStream(exchange: RecordedExchange): Recording {
  const recording = loadRecording(exchange);
  const isArray = exchange.response_body.endsWith(".json") && exchange.stream && recording.status === 200;
  return isArray ? asEvents(recording) : recording;
}

const UNDECLARED = "UNEXPECTED_TOOL_CALL: the tool was not declared";

/** Exchanges without a usable answer for clients of other dialects: they cannot make such a call. */
const unanswered: Record<string, string> = {
  "gemini/generate_stream_google_stream_tool_call_arguments": "streamFunctionCallArguments was asked for",
  "vertex/generate_stream_mcp_related_client_tests_generatecontent_c_is_disabled_explicitly": "likewise",
  "vertex/generate_json_multimodal_tool_return_matrix_direct_binary_audio_google_vertex": UNDECLARED,
  "vertex/generate_json_multimodal_tool_return_matrix_direct_upl_file_video_google_vertex_1": UNDECLARED,
};

/** An answer that broke off may have counts. An answer without content and counts has no output. */
async function checkMoney(stage: Stage, crossed: Crossed): Promise<void> {
  const isQuiet = crossed.kind === "answer" && crossed.usage === null && isSilent(crossed.content);
  if (crossed.kind !== "broken" && !isQuiet) {
    await checkLedger(stage, settlementOf(crossed));
    return;
  }
  const { gateway, accountId } = stage;
  await eventually(async () => (await gateway.entries(accountId)).length).toBe(1);
  expect((await gateway.entries(accountId))[0]).toMatchObject({ kind: "capture" });
  expect((await gateway.entries(accountId))[0]?.usageSource).toMatch(/^(?:partial|estimated)$/);
}

/** The stage of a recording, its reading, and how its answer is cut. */
async function setScene(world: ReplayWorld, exchange: RecordedExchange, use: string) {
  const recording = loadStream(exchange);
  const stage = await setStage(world, recording, { dialect: "gemini" });
  const random = randomOf(`${exchange.dir} ${use}`);
  const cut = (bytes: Buffer) => cutAtRandom(bytes, random);
  return { stage, cut, ...readGemini(recording, stage.isStream) };
}

replaySuite(["gemini.generateContent", "gemini.streamGenerateContent"], (exchanges, world) => {
  describe("a recording of Google's dialect, cut anywhere, reads the same in its own client", () => {
    test.each(rowsOf(exchanges))("$dir", async ({ exchange }) => {
      const { stage, cut, crossed, finish } = await setScene(world, exchange, "own");
      const { gateway, secret, model, isStream, recording } = stage;
      const request = { model, contents: "Say something.", config: { maxOutputTokens: 1_000 } };
      const door = { url: gateway.url, secret, apiVersion: "v1beta" } as const;
      const { result, requests } = await act(stage, cut, () => askGemini(door, request, isStream));
      const verb = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
      const name = String(recording.request.model).replace(/^models\//, "");
      expect(requests[0]?.path).toBe(`/v1/models/${name}:${verb}`);
      expect(requests[0]?.headers["x-goog-api-key"]).toBe("upstream-secret");
      checkForwarded({ crossed, model, finish }, result);
      await checkMoney(stage, crossed);
    });
  });

  describe("a recording of Google's dialect, cut anywhere, reads as a response", () => {
    test.each(rowsOf(exchanges))("$dir", async ({ exchange, dir }) => {
      const { stage, cut, crossed } = await setScene(world, exchange, "response");
      const { gateway, secret, model, isStream: stream } = stage;
      const body = { model, max_output_tokens: 1_000, input: "Say something.", stream };
      const door = { major: 7, url: gateway.url, secret } as const;
      const { result } = await act(stage, cut, () => askResponses(door, body));
      if (dir in unanswered) {
        expect(result.error ? "failed" : result.response?.status, unanswered[dir]).toBe("failed");
        return;
      }
      checkResponse({ crossed, model }, result);
      await checkMoney(stage, crossed);
    });
  });
});
