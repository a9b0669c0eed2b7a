import { errorMessages } from "@/server/base/error-messages";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { readModel, refuse } from "../json/object";
import { type Form, readBoolean, readFields, type Upload, withFields } from "../multipart/form";
import type { CountedUsage } from "../upstream-plan";
import { countSaid } from "../usage/estimate";
import { mayTellPrice } from "../usage/vendor-price";
import { countHeard, readTold, type Sound } from "./audio-usage";
import type { SoldAt } from "./forwarded";
import { type SubtitleFormat, subtitleFormats, subtitles } from "./subtitles";

/** A file to transcribe, read as far as the gateway uses it. */
export type TranscriptionRequest = {
  form: Form;
  model: string;
  isStream: boolean;
  /** The format that the client wants. */
  format: string;
  /** The format requested from the upstream: one that reports usage. */
  askedFormat: string;
  prompt: string;
  file: Buffer;
};

/** The longest prompt that is accepted. */
const MOST_PROMPT_CHARACTERS = 32_000;

const FORMAT = /^[a-z_]{1,40}$/;

const isSubtitles = (format: string): format is SubtitleFormat =>
  subtitleFormats.some((each) => each === format);

/**
 * Plain text and subtitles carry no usage: the gateway requests JSON and writes them itself. Not if other fields of the
 * call are valid only with the client's format.
 */
function askedFormat(format: string, form: Form): string {
  if (format === "text") {
    return "json";
  }
  const hasOwnTimes = form.parts.some(({ name }) => name.startsWith("timestamp_granularities"));
  return isSubtitles(format) && !hasOwnTimes ? "verbose_json" : format;
}

/**
 * `pathModel`: the model in the address, for a form without one. `mayStream`: false for translations. Throws the 400s
 * of spec section 7.
 */
export function parseTranscription(
  form: Form,
  { pathModel, mayStream }: { pathModel: string | null; mayStream: boolean },
): TranscriptionRequest {
  const { texts, files } = readFields(form);
  const model = readModel({ model: texts.model || pathModel });
  const { file } = files;
  if (file === undefined) {
    throw refuse(errorMessages.mustBeFile("file"));
  }
  const { prompt = "", response_format: format = "json" } = texts;
  if (prompt.length > MOST_PROMPT_CHARACTERS) {
    throw refuse(errorMessages.mustBeTextOf("prompt", { min: 0, max: MOST_PROMPT_CHARACTERS }));
  }
  if (!FORMAT.test(format)) {
    throw refuse(errorMessages.invalid("response_format"));
  }
  const isStream = readBoolean(texts.stream);
  if (isStream === null) {
    throw refuse(errorMessages.mustBeBoolean("stream"));
  }
  if (isStream && !mayStream) {
    throw refuse(errorMessages.notSupported("stream"));
  }
  // A stream consists of events, whatever the format.
  const upstreamFormat = isStream ? format : askedFormat(format, form);
  return { form, model, isStream, format, askedFormat: upstreamFormat, prompt, file };
}

/** The call for an upstream that knows the model by this name. */
export const uploadFor = (
  { form, format, askedFormat: upstreamFormat }: TranscriptionRequest,
  name: string,
): Upload =>
  withFields(form, { model: name, ...(upstreamFormat !== format && { response_format: upstreamFormat }) });

export const isJsonFormat = (format: string): boolean => format === "json" || format.endsWith("_json");

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

/** The text as it came, unless members were removed from it. */
const written = (answer: JsonObject, raw: string) => (mayTellPrice(raw) ? JSON.stringify(answer) : raw);

/** The client's body of an answer in JSON. null: it is no answer of this endpoint. */
function render(
  answer: JsonObject,
  raw: string,
  format: string,
): { contentType: string; body: string } | null {
  if (typeof answer.text !== "string") {
    return null;
  }
  if (format === "text") {
    return { contentType: TEXT_TYPE, body: `${answer.text}\n` };
  }
  const body = isSubtitles(format) ? subtitles(answer.segments, format) : written(answer, raw);
  return body === null ? null : { contentType: isSubtitles(format) ? TEXT_TYPE : JSON_TYPE, body };
}

export type Transcript = CountedUsage & { contentType: string; body: string };

type TranscriptionCall = { request: TranscriptionRequest; sound: Sound; sold: SoldAt };

/** The client's body for an upstream's answer, with its usage. `json`: the parsed answer. null: malformed. */
export function readTranscript(
  { raw, json }: { raw: string; json: unknown },
  { request, sound, sold }: TranscriptionCall,
): Transcript | null {
  const { prompt, format } = request;
  const answer = isJsonObject(json) ? json : null;
  // An upstream's own format is passed on unchanged.
  const rendered = answer ? render(answer, raw, format) : { contentType: TEXT_TYPE, body: raw };
  if (rendered === null) {
    return null;
  }
  const outputTokens = () => countSaid(answer ? textOf(answer.text) : raw);
  const usage = readTold(answer ?? {});
  return { ...rendered, ...countHeard({ sound, prompt, upstreamCounts: usage, outputTokens }, sold) };
}
