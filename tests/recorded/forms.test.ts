import { describe, expect, test } from "vitest";
import { money } from "@/tests/support/customer";
import { priced } from "@/tests/support/sold-model";
import { field, fileField, formOf, wavOf } from "@/tests/support/sound";
import { type JsonObject, loadRecording, type RecordedExchange, type Recording } from "./corpus";
import { cutAtRandom, randomOf, replay } from "./replay";
import { type ReplayWorld, replaySuite, rowsOf } from "./suite";
import { at } from "./usage";

const tokens = { inputPrice: money("5"), outputPrice: money("40") };
const models = {
  image: { kind: "image", ...tokens, unitPrices: priced({ image: "0.04", image_input: "10" }) },
  sound: { kind: "transcription", ...tokens, unitPrices: priced({ second: "0.006", audio_input: "6" }) },
} as const;

const TYPE = "multipart/form-data; boundary=b0undary";
const isEdit = ({ path }: RecordedExchange) => path.endsWith("/images/edits");

type FormEntry = Parameters<typeof formOf>[0][number];

/** The recorded form. Of a file the recorder kept only the length. Without a recorded request, the smallest form. */
function fieldsOf({ request }: Recording): FormEntry[] {
  const form = (request._multipart ?? { file: { bytes: wavOf(3).byteLength } }) as JsonObject;
  const fields = Object.entries(form).filter(([name]) => name !== "model");
  return fields.map(([name, value]) =>
    typeof value === "string"
      ? field(name, value)
      : fileField(
          name,
          name === "file" ? wavOf((Number((value as JsonObject).bytes) - 44) / 16_000) : Buffer.from("png"),
        ),
  );
}

/** The last object of an answer, which has the counts. */
function lastWords({ body, exchange }: Recording): JsonObject {
  const text = body.toString("utf8");
  const events = [...text.matchAll(/^data: (\{.*\})\r?$/gm)].map(([, data = ""]) => data);
  return JSON.parse(exchange.stream ? (events.at(-1) ?? "{}") : text) as JsonObject;
}

/** The expected counts in the ledger, if the vendor counted. */
function countsOf(recording: Recording): JsonObject {
  const { exchange } = recording;
  const answer = lastWords(recording);
  const usage = at(answer, "usage");
  const input = Number(at(usage, "input_tokens") ?? 0);
  if (isEdit(exchange)) {
    const pictures = Number(at(usage, "input_tokens_details", "image_tokens") ?? 0);
    return usage ? { units: { image: 1, image_input: pictures }, inputTokens: input - pictures } : {};
  }
  const audio = Number(at(usage, "input_token_details", "audio_tokens") ?? 0);
  const seconds =
    at(usage, "seconds") ?? (at(answer, "duration") && Math.ceil(Number(at(answer, "duration"))));
  return {
    ...(seconds !== undefined && { units: expect.objectContaining({ second: seconds }) }),
    ...(audio > 0 && {
      units: expect.objectContaining({ audio_input: audio }),
      inputTokens: input - audio,
      outputTokens: at(usage, "output_tokens"),
    }),
  };
}

async function check({ gateway, upstream }: ReplayWorld, exchange: RecordedExchange): Promise<void> {
  const recording = loadRecording(exchange);
  const id = await gateway.model(models[isEdit(exchange) ? "image" : "sound"]);
  await gateway.channel({ model: id, models: { [id]: "vendors-own" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const fields = (model: string) => [...fieldsOf(recording), field("model", model)];
  upstream.answer(replay(recording, cutAtRandom(recording.body, randomOf(exchange.dir))));
  const before = upstream.requests.length;
  const headers = { authorization: `Bearer ${customer.secret}`, "content-type": TYPE };
  const body = formOf(fields(id));
  const url = `${gateway.url}/v1/${/\/v1\/(.+)$/.exec(exchange.path)?.[1]}`;
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  expect(upstream.requests[before]?.bytes.equals(formOf(fields("vendors-own")))).toBe(true);
  if (exchange.status !== 200) {
    expect(response.status).toBe(exchange.status === 401 ? 502 : 400);
    expect((await gateway.entries(customer.accountId)).filter(({ kind }) => kind === "capture")).toEqual([]);
    return;
  }
  expect(response.status).toBe(200);
  const recordedText = recording.body.toString("utf8");
  if (exchange.stream) {
    expect(text.match(/^data:.*$/gm)).toEqual(recordedText.match(/^data:.*(?=\r?$)/gm));
  } else {
    expect(JSON.parse(text)).toEqual(JSON.parse(recordedText));
  }
  const [entry, ...more] = await gateway.entries(customer.accountId);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ kind: "capture", ...countsOf(recording) });
}

replaySuite(["openai.transcriptions", "openai.translations", "openai.images"], (exchanges, world) => {
  const ofForms = exchanges.filter((exchange) => !exchange.path.endsWith("/generations"));

  test("every endpoint has recordings", () => {
    const paths = new Set(ofForms.map(({ path }) => /\/v1\/(.+)$/.exec(path)?.[1]));
    expect(paths).toEqual(new Set(["audio/transcriptions", "audio/translations", "images/edits"]));
  });

  describe("a recorded call, its answer cut anywhere, is forwarded byte for byte and charged as its vendor counted", () => {
    test.each(rowsOf(ofForms))("$dir", ({ exchange }) => check(world, exchange));
  });
});
