/** What a dialect is to the others: two sides, both in terms of the pivot. */
import { envelope, GatewayError } from "@/server/base/errors";
import type { Dialect } from "../capabilities";
import type { JsonObject } from "../fields";
import {
  type AnswerContext,
  type Counted,
  joinStream,
  type StreamReader,
  type StreamWriter,
  type Terms,
  type UpstreamModel,
  type UpstreamPlan,
  unlessTooDeep,
} from "../upstream-plan";
import type { Answer, AnswerEvent, AnswerEvents } from "./answer";
import type { Conversation } from "./conversation";

/** One call of a client. */
export type ClientCall = {
  /** Throws cannotConvert for what no other dialect has. */
  conversation: () => Conversation;
  /** JSON text. */
  writeAnswer: (answer: Answer, counted: Counted, context: AnswerContext) => string;
  openWriter: (context: AnswerContext) => StreamWriter<AnswerEvent>;
};

/** A conversation as an upstream wants it, and how to read what comes back. */
export type UpstreamCall = {
  operation: Dialect;
  /** As `UpstreamPlan` has it. */
  path?: string;
  body: JsonObject;
  /** Beside those that sign the call. */
  headers: Record<string, string>;
  /** As `UpstreamPlan` has it. */
  readAnswer: (
    answer: unknown,
    context: AnswerContext,
  ) => (Counted & { answer: Answer }) | "malformed" | "unusable";
  openReader: (context: AnswerContext) => {
    reader: StreamReader<JsonObject>;
    events: AnswerEvents<JsonObject>;
  };
};

/** Throws cannotConvert for what this upstream's model cannot do and the call would not be the same without. */
export type ToUpstream = (conversation: Conversation, upstream: UpstreamModel, terms: Terms) => UpstreamCall;

/** A writer of the pivot's events as one of a dialect's. */
export function throughPivot(
  events: AnswerEvents<JsonObject>,
  writer: StreamWriter<AnswerEvent>,
): StreamWriter<JsonObject> {
  const write = (said: AnswerEvent[]) => said.map((event) => writer.write(event)).join("");
  return {
    keepAlive: () => writer.keepAlive(),
    write: (event) => write(events.read(event)),
    end: (counted) => {
      const last = events.end();
      // Charged as what was delivered: the text before it has reached the client, and the upstream wants its money.
      return last === null
        ? writer.fail(envelope(new GatewayError("upstreamMalformed"), { redact: String, language: "zh" }))
        : write(last) + writer.end(counted);
    },
    fail: (error) => writer.fail(error),
  };
}

/** A client's call for an upstream of another dialect, `call`. */
export function planThroughPivot(client: ClientCall, call: UpstreamCall): UpstreamPlan {
  return {
    operation: call.operation,
    ...(call.path !== undefined && { path: call.path }),
    headers: call.headers,
    body: JSON.stringify(call.body),
    readAnswer: (answer, context) => {
      const read = call.readAnswer(answer, context);
      if (typeof read === "string") {
        return read;
      }
      const { answer: said, ...counted } = read;
      const body = unlessTooDeep(() => client.writeAnswer(said, counted, context));
      return body === null ? "unusable" : { ...counted, body };
    },
    openStream: (context) => {
      const { reader, events } = call.openReader(context);
      return joinStream(reader, throughPivot(events, client.openWriter(context)));
    },
  };
}
