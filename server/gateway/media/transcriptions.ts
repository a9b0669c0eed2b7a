import type { Timers } from "@/server/base/clock";
import type { Reply } from "@/server/base/reply";
import type { SoldModel } from "@/server/catalog";
import { readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import type { EventGroup } from "@/server/protocol/answers/sse";
import { mostHeard, type Sound } from "@/server/protocol/forwarded/audio-usage";
import { TranscriptStream } from "@/server/protocol/forwarded/transcript-stream";
import {
  isJsonFormat,
  parseTranscription,
  readTranscript,
  type Transcript,
  type TranscriptionRequest,
  uploadFor,
} from "@/server/protocol/forwarded/transcriptions";
import { measureInThread } from "../body/audio-worker";
import { readForm } from "../body/body";
import { type AuthedCall, getNamedModel, type PaidCall } from "../pipeline/call";
import { costHeader } from "../pipeline/charge";
import { dispatchAndCharge, dispatchCall } from "../pipeline/dispatch-call";
import { freezeForCall, releasingOnFailure } from "../pipeline/freeze";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { MAX_ANSWER_BYTES, parseAnswer } from "../pipeline/relay-answer";
import { groupsOf, openGroups, readEvents } from "../stream/open-stream";
import { streamReply } from "../stream/relay-stream";
import type { OpenedStream } from "../stream/stream-frames";

type Listening = { request: TranscriptionRequest; sound: Sound; sold: SoldModel };

/**
 * Reads the whole answer. Throws UpstreamFault if it is not a transcript, and the UpstreamFault or GatewayError of an
 * error in it.
 */
async function readWhole(reply: UpstreamReply, listening: Listening): Promise<Transcript> {
  const { askedFormat } = listening.request;
  const [type = ""] = reply.contentType.toLowerCase().split(";", 1);
  const raw = await readText(reply.body, MAX_ANSWER_BYTES);
  const isJson = isJsonFormat(askedFormat) || type.trim() === "application/json";
  const read =
    isJson || type.trim() !== "text/html"
      ? readTranscript({ raw, json: isJson ? await parseAnswer(raw) : null }, listening)
      : null;
  if (read === null) {
    throw new UpstreamFault("malformed", "the answer is no transcript");
  }
  return read;
}

/** Turns the answer of a vendor's model that cannot stream (OpenAI's whisper-1) into one event. */
async function* asEvents(reply: UpstreamReply): AsyncGenerator<EventGroup> {
  const answer = await parseAnswer(await readText(reply.body, MAX_ANSWER_BYTES));
  const event = { type: "transcript.text.done", ...(typeof answer === "object" && answer) };
  yield* groupsOf([JSON.stringify(event)]);
}

const openStream = (timers: Timers, reply: UpstreamReply, listening: Listening): Promise<OpenedStream> => {
  const isWhole = /^application\/json\b/i.test(reply.contentType);
  const stream = new TranscriptStream({ ...listening, prompt: listening.request.prompt });
  return openGroups(stream, isWhole ? asEvents(reply) : readEvents(reply.body), timers);
};

type AudioOperation = "transcriptions" | "translations";
type Relayed = { paid: PaidCall; operation: AudioOperation; listening: Listening };

async function relay(deps: GatewayDeps, { paid, operation, listening }: Relayed): Promise<Reply> {
  const { request } = listening;
  const plan = ({ upstreamName }: { upstreamName: string }) => ({
    operation,
    headers: {},
    body: uploadFor(request, upstreamName),
  });
  if (request.isStream) {
    const accept = (reply: UpstreamReply) => openStream(deps.timers, reply, listening);
    return streamReply(
      deps,
      { ...paid, choices: 1 },
      await dispatchCall(deps, paid, { isStream: true, plan, accept }),
    );
  }
  const accept = (reply: UpstreamReply) => readWhole(reply, listening);
  const { body, contentType } = await dispatchAndCharge(deps, paid, { plan, accept });
  return { status: 200, headers: { "content-type": contentType, ...costHeader(paid.call) }, body };
}

/**
 * Relays sound for a transcript (spec 4.13): parse, resolve, measure, hold, dispatch, meter, capture, respond. Charges
 * the upstream's count, else our own measurement.
 */
export function transcribe(
  deps: GatewayDeps,
  operation: AudioOperation,
): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const form = call.form ?? (await readForm(call));
    const pathModel = call.pathModel ?? null;
    const request = parseTranscription(form, { pathModel, mayStream: operation === "transcriptions" });
    call.logFields.stream = request.isStream;
    const model = await getNamedModel(deps.catalog, call, { id: request.model, kind: "transcription" });
    const sound = { bytes: request.file.byteLength, ...(await measureInThread(request.file)) };
    const ceiling = mostHeard(sound, request.prompt, model);
    const paid = await freezeForCall(deps, { call, model }, ceiling);
    const listening = { request, sound, sold: model };
    // A count of more than the file can hold is a mistake.
    const bounded = { ...paid, hasNamedLimit: true };
    return await releasingOnFailure(deps, paid.hold, () =>
      relay(deps, { paid: bounded, operation, listening }),
    );
  };
}
