import { describe, expect, test } from "vitest";
import { type Exchange, type JsonObject, loadRecording } from "./corpus";
import { type EmbeddingsRead, embed, embedWithAi, type Major, numbersOf } from "./embeddings-client";
import { type EmbeddingsReading, readEmbeddings } from "./embeddings-oracle";
import { checkEnvelope, type Refused } from "./envelope";
import { cutAtRandom, randomOf } from "./replay";
import { act, checkDoor, checkLedger, type Settlement, type Stage, setStage } from "./stage";
import { checkNamed, replaySuite, type World } from "./suite";

type Scene = Stage & { reading: EmbeddingsReading };

/** `undefined`: the client names none, which the SDKs take for base64 that they decode themselves. */
type Encoding = "float" | "base64" | undefined;

const ways: { major: Major; encoding: Encoding }[] = [
  { major: 7, encoding: undefined },
  { major: 6, encoding: undefined },
  { major: 7, encoding: "float" },
  { major: 6, encoding: "base64" },
];
/** Recorded requests that are no embeddings requests of the dialect, and why. They are replayed with this mended. */
const notOfTheDialect: Record<string, string> = {
  "ollama/embeddings_json_ollama_embeddings_legacy": "Ollama's own endpoint: `prompt` where `input` belongs",
  "openai/embeddings_json_embeddings_bad_request": "an encoding_format that is none",
};

/** Answers that hold no embeddings of the dialect, and why. */
const notEmbeddings: Record<string, string> = {
  "ollama/embeddings_json_ollama_embeddings_legacy": "Ollama's own endpoint: one bare vector, and no list",
  "openai/embeddings_json_usage_embeddings": "a page of usage figures, filed under embeddings",
};

async function setScene(world: World, exchange: Exchange): Promise<Scene> {
  const recording = loadRecording(exchange);
  const stage = await setStage(world, recording, { dialect: "openai", kind: "embedding" });
  return Object.assign(stage, { reading: readEmbeddings(recording) });
}

function settlementOf(reading: EmbeddingsReading): Settlement {
  if (reading.kind === "refused") {
    return { kind: "released" };
  }
  const nothing = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, completion: 0, reasoning: 0 };
  return { kind: "counted", usage: { prompt: reading.tokens, ...nothing } };
}

const asFloat32 = (vectors: number[][]) => vectors.map((vector) => vector.map(Math.fround));

function checkEmbeddings({ reading, model }: Scene, { answer, error }: EmbeddingsRead, encoding: Encoding) {
  if (reading.kind === "refused") {
    expect(error).toEqual({ status: reading.refused.status });
    return;
  }
  expect(error).toBeNull();
  expect(answer).toMatchObject({ object: "list", model });
  const data = answer?.data ?? [];
  expect(data.map(({ object, index }) => ({ object, index }))).toEqual(
    reading.vectors.map((_, index) => ({ object: "embedding", index })),
  );
  expect(data.filter(({ embedding }) => typeof embedding === "string").length).toBe(
    encoding === "base64" ? data.length : 0,
  );
  const vectors = data.map(({ embedding }) => numbersOf(embedding));
  expect(asFloat32(vectors)).toEqual(asFloat32(reading.vectors));
  expect(answer?.usage).toMatchObject({ prompt_tokens: reading.tokens, total_tokens: reading.tokens });
}

/** The request of a recording as a client of the dialect has it, but for the encoding. */
function requestOf({ recording }: Scene): JsonObject {
  const { encoding_format: _format, prompt, ...request } = recording.request;
  return prompt === undefined ? request : { ...request, input: prompt };
}

function cutterOf({ recording, calls }: Scene) {
  const random = randomOf(`${recording.exchange.dir} ${calls}`);
  return (body: Buffer) => cutAtRandom(body, random);
}

async function replayThroughSdks(scene: Scene): Promise<void> {
  const { gateway, secret, model, reading } = scene;
  // Three refusals leave a channel's breaker closed: two here, and one on the wire.
  for (const { major, encoding } of reading.kind === "refused" ? ways.slice(0, 2) : ways) {
    const request = requestOf(scene);
    const naming = encoding === undefined ? {} : { encoding_format: encoding };
    const client = { major, url: gateway.url, secret };
    const { result, asked } = await act(scene, cutterOf(scene), () =>
      embed(client, { ...request, model, ...naming }),
    );
    expect(
      asked.map((one) => one.body),
      "the upstream's request is the client's",
    ).toEqual([{ ...request, encoding_format: encoding ?? "base64" }]);
    expect(asked[0]?.path).toBe("/v1/embeddings");
    checkEmbeddings(scene, result, encoding);
    await checkLedger(scene, settlementOf(reading));
  }
}

async function replayThroughAi(scene: Scene, values: string[]): Promise<void> {
  const { gateway, secret, model, reading } = scene;
  const door = { url: gateway.url, secret, model };
  const { result, asked } = await act(scene, cutterOf(scene), () => embedWithAi(door, values));
  expect(asked.map((one) => one.body.input)).toEqual([values]);
  if (reading.kind === "answer") {
    expect(asFloat32(result.embeddings)).toEqual(asFloat32(reading.vectors));
    expect(result.tokens).toBe(reading.tokens);
  }
  await checkLedger(scene, settlementOf(reading));
}

const post = ({ gateway, secret, model }: Scene, body: JsonObject) =>
  fetch(`${gateway.url}/v1/embeddings`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json" },
    body: JSON.stringify({ ...body, model }),
  });

async function replayRefusal(scene: Scene, refused: Refused): Promise<void> {
  const { result } = await act(scene, cutterOf(scene), () => post(scene, requestOf(scene)));
  checkEnvelope(result, await result.text(), refused);
  await checkLedger(scene, { kind: "released" });
}

const textsOf = (input: unknown): string[] | null => {
  const values: unknown[] = Array.isArray(input) ? input : [input];
  return values.every((value) => typeof value === "string") ? values : null;
};

replaySuite(["openai.embeddings"], (exchanges, world) => {
  describe("recorded embeddings, cut anywhere, are the same numbers in every encoding", () => {
    test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
      "$dir",
      async ({ exchange }) => {
        const scene = await setScene(world(), exchange);
        if (exchange.dir in notOfTheDialect) {
          await checkDoor(scene, () => post(scene, scene.recording.request));
        }
        await replayThroughSdks(scene);
        if (scene.reading.kind === "refused") {
          await replayRefusal(scene, scene.reading.refused);
          return;
        }
        const texts = textsOf(scene.recording.request.input);
        if (texts) {
          await replayThroughAi(scene, texts);
        }
      },
    );
  });

  test("an answer that holds no embeddings is refused for a reason that is named", () => {
    const refused = exchanges.filter(
      (exchange) => exchange.status < 400 && readEmbeddings(loadRecording(exchange)).kind === "refused",
    );
    checkNamed("refused", refused, notEmbeddings);
  });
});
