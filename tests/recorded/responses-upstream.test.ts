import { describe, expect, test } from "vitest";
import { ask } from "./chat-client";
import { type JsonObject, loadRecording, minimalRequest, type RecordedExchange } from "./corpus";
import { checkCrossedChat, checkCrossedMessage } from "./crossed-checks";
import { type Crossed, isSilent } from "./crossed-oracle";
import { asChatRequest, asMessagesRequest } from "./crossed-request";
import { askMessages } from "./messages-client";
import { cutAtRandom, randomOf } from "./replay";
import { checkOwnEvents, checkOwnResponse, checkSent, type OwnScene } from "./responses-forward-checks";
import { crossedResponse, readResponses } from "./responses-oracle";
import { act, checkLedger, setStage, settlementOf } from "./stage";
import { checkNamed, type ReplayWorld, replaySuite, rowsOf } from "./suite";
import { createTaped } from "./taped";

/** State at the vendor, which the gateway refuses: such a request is replayed without it. */
const STATE = ["previous_response_id", "background", "conversation", "prompt"];

/** Recorded requests that the gateway refuses itself, and why. Their answers are replayed to a valid request. */
const refusedAtTheDoor: Record<string, string> = {
  "openai/responses_json_openai_responses_model_http_error": "a temperature of -1",
};

/** Answers of which clients of other dialects learn only the end, and why. */
const partly: Record<string, string> = {
  "openai/responses_stream_openai_phase_1": "the recorder shortened what grew, and not the whole texts",
  "openai/responses_stream_openai_responses_handles_refusal_for_stream":
    "cut off in the arguments of a call, which are no JSON then",
};

/** Answers in which a client of another dialect reads nothing, and why. */
const silent: Record<string, string> = {
  "openai/responses_json_openai_local_shell_tool_1": "a call of a shell that the client runs",
  "openai/responses_json_responsestooltests_computertoolwithscreenshotroundtripasync_0": "a computer's call",
  "openai/responses_json_responsestooltests_computertoolwithscreenshotroundtripasync_1": "a computer's call",
  "openai/responses_stream_o3_deep_research_streaming": "cut off while it thought, of which nothing is shown",
  "openai/responses_stream_openai_apply_patch_tool_1": "a patch for the client to apply",
  "openai/responses_stream_openai_apply_patch_tool_delete_1": "a patch for the client to apply",
  "openai/responses_stream_openai_image_generation_tool_1": "a picture, and a message without a word",
  "openai/responses_stream_openai_local_shell_tool_1": "a call of a shell that the client runs",
  "openai/responses_stream_openai_mcp_tool_approval_1": "a question whether a vendor's tool may run",
};

async function setScene(world: ReplayWorld, exchange: RecordedExchange): Promise<OwnScene> {
  const recording = loadRecording(exchange);
  const kept = Object.entries(recording.request).filter(([name]) => !STATE.includes(name));
  const isRefused = exchange.dir in refusedAtTheDoor;
  recording.request = isRefused ? minimalRequest(exchange) : Object.fromEntries(kept);
  recording.request.input ??= "Say something.";
  const capabilities = { premiumTiers: true };
  const stage = await setStage(world, recording, { dialect: "openai-responses", capabilities });
  return Object.assign(stage, { reading: readResponses(recording) });
}

const cutterOf = ({ recording }: OwnScene, use: string) => {
  const random = randomOf(`${recording.exchange.dir} ${use}`);
  return (body: Buffer) => cutAtRandom(body, random);
};

const requestOf = ({ recording: { request }, model, isStream }: OwnScene): JsonObject => ({
  ...{ ...request, model, ...(isStream && { stream: true }) },
});

async function replayOnWire(scene: OwnScene): Promise<void> {
  const { gateway, secret } = scene;
  const body = requestOf(scene);
  const { result, requests } = await act(scene, cutterOf(scene, "wire"), async () => {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  });
  checkSent(scene, body, requests[0]);
  const { reading } = scene;
  if (reading.kind === "refused") {
    expect(result.status).toBe(reading.refused.status);
  } else if (scene.isStream) {
    checkOwnEvents(scene, result.text);
  } else {
    checkOwnResponse(scene, JSON.parse(result.text) as JsonObject, reading.response);
  }
  await checkLedger(scene, settlementOf(reading));
}

async function replayCrossed(scene: OwnScene): Promise<void> {
  const { gateway, secret, recording, model, isStream, reading } = scene;
  const chat = Object.assign(scene, { crossed: crossedResponse(reading, "chat") });
  const asksUsage = isStream ? { stream_options: { include_usage: true } } : {};
  const chatBody = { ...asChatRequest(recording, model, isStream), ...asksUsage };
  const heard = await act(scene, cutterOf(scene, "chat"), async () => {
    const door = { url: gateway.url, secret, fetch: createTaped().fetch };
    const chunks = await ask({ major: 7, manner: "chunks", ...door }, chatBody);
    return { chunks, accumulated: await ask({ major: 6, manner: "accumulated", ...door }, chatBody) };
  });
  for (const manner of ["chunks", "accumulated"] as const) {
    const read = heard.result[manner];
    if (recording.exchange.dir in partly) {
      const { content } = chat.crossed as Extract<Crossed, { kind: "answer" }>;
      expect(read.choices[0]?.finish).toBe(content.stop);
    } else {
      checkCrossedChat(chat, manner, read);
    }
  }
  await checkLedger(scene, settlementOf(reading));
  const crossed = crossedResponse(reading, "messages");
  const body = asMessagesRequest(recording, model, isStream);
  const { result } = await act(scene, cutterOf(scene, "messages"), async () => {
    const door = { url: gateway.url, secret, fetch: createTaped().fetch };
    return [await askMessages({ major: 1, ...door }, body), await askMessages({ major: 0, ...door }, body)];
  });
  for (const read of result) {
    if (crossed.kind === "answer" && recording.exchange.dir in partly) {
      expect(read.message.stop_reason).toBe(crossed.content.stop);
    } else if (crossed.kind !== "answer" || !isSilent(crossed.content)) {
      checkCrossedMessage(Object.assign(scene, { crossed }), read);
    }
  }
  await checkLedger(scene, settlementOf(reading));
}

replaySuite(["openai.responses"], (exchanges, world) => {
  const cases = rowsOf(exchanges);

  describe("a recorded response, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(cases)("$dir", async ({ exchange }) => {
      await replayOnWire(await setScene(world, exchange));
    });
  });

  describe("a recorded response, cut anywhere, reads correctly in chat and messages clients", () => {
    test.each(cases)("$dir", async ({ exchange }) => {
      await replayCrossed(await setScene(world, exchange));
    });
  });

  test("an answer of which nothing is left is listed with its reason", () => {
    const silentExchanges = exchanges.filter((exchange) => {
      const crossed = crossedResponse(readResponses(loadRecording(exchange)), "messages");
      return crossed.kind === "answer" && isSilent(crossed.content);
    });
    checkNamed("silent", silentExchanges, silent);
  });
});
