import { isJsonObject, type JsonObject, objects } from "../fields";
import { eventFrame, namedEventFrame } from "../sse";
import type { AnswerContext, StreamWriter } from "../upstream-plan";
import { echoOf, writeResponse } from "./answer-out";
import type { ResponsesCall } from "./dialect";
import { errorOf } from "./error-out";
import { ItemNames, sealItem } from "./items-forward";
import { OutputSoFar } from "./output-so-far";

/** What of a response is not its upstream's word: we keep it, and no upstream knows what it goes on from. */
const ownMembers = ({ id, request }: ResponsesCall): JsonObject => ({
  id,
  store: request.isStored,
  previous_response_id: request.referred.previousId,
});

const ownItems = (output: unknown, names: ItemNames): JsonObject[] =>
  objects(output).map((item, place) => names.name(sealItem(item), place));

/** An upstream's whole response as its client gets it. */
export const ownResponse = (call: ResponsesCall, response: JsonObject): JsonObject => ({
  ...response,
  ...ownMembers(call),
  output: ownItems(response.output, new ItemNames(call.id)),
});

const isLast = ({ type }: JsonObject) => type === "response.completed" || type === "response.incomplete";

/**
 * Events of a Responses upstream to a client of the same dialect: as they are, but under our identifiers and numbered
 * anew, since signs of life of our own come in between.
 */
export class ResponsesWriter implements StreamWriter<JsonObject> {
  private readonly call: ResponsesCall;
  private readonly names: ItemNames;
  private readonly output = new OutputSoFar();
  private sequence = 0;
  /** The response before it has an end. */
  private begun: JsonObject;
  private last: JsonObject | null = null;

  constructor(call: ResponsesCall, context: AnswerContext) {
    this.call = call;
    this.names = new ItemNames(call.id);
    const form = { id: call.id, echo: echoOf(call.request.fields), context };
    this.begun = {
      ...writeResponse(form, { status: "in_progress", output: [], usage: null }),
      ...ownMembers(call),
    };
  }

  /** As that of `ResponsesOut`: openai's SDKs take its response for all that there is. */
  keepAlive(): string {
    return this.sequence === 0 ? "" : this.state("response.in_progress");
  }

  write(event: JsonObject): string {
    if (isLast(event)) {
      const first = this.sequence === 0 ? this.state("response.created") : "";
      // It waits until the call is charged and the response kept.
      this.last = event;
      return first;
    }
    if (isJsonObject(event.response)) {
      this.begun = { ...this.begun, ...event.response, ...ownMembers(this.call) };
      return this.state(String(event.type));
    }
    // Some vendors begin in the middle, which SDKs throw at.
    const first = this.sequence === 0 ? this.state("response.created") : "";
    return first + this.event(this.named(event));
  }

  end(): string {
    const { last, output } = this;
    const sent = isJsonObject(last?.response) ? last.response : {};
    const whole = ownItems(sent.output, this.names);
    const streamed = output.list();
    // Some end with no items at all (litellm PR#38719).
    const response = {
      ...this.begun,
      ...sent,
      ...ownMembers(this.call),
      output: whole.length < streamed.length ? streamed : whole,
    };
    const frame = this.event({ ...last, type: last?.type ?? "response.completed", response });
    this.call.keep(response);
    return frame + eventFrame("[DONE]");
  }

  fail(envelope: { code: number; message: string }): string {
    const error = errorOf(envelope);
    const response = { ...this.begun, status: "failed", error, output: this.output.list() };
    this.call.keep(response);
    return (
      this.event({ type: "error", ...error, param: null }) +
      this.event({ type: "response.failed", response }) +
      eventFrame("[DONE]")
    );
  }

  private event(event: JsonObject): string {
    const numbered = { ...event, sequence_number: this.sequence++ };
    return namedEventFrame(String(event.type), JSON.stringify(numbered));
  }

  /** The response as it stands. */
  private state(type: string): string {
    return this.event({ type, response: { ...this.begun, output: this.output.list() } });
  }

  private named(event: JsonObject): JsonObject {
    const place = this.output.placeOf(event);
    const named = { ...event };
    if (isJsonObject(event.item)) {
      const item = this.names.name(event.item, place);
      named.output_index = place;
      const { encrypted_content: sealed, ...rest } = item;
      // It is whole with the last event only.
      named.item =
        event.type === "response.output_item.added" && sealed !== undefined ? rest : sealItem(item);
    }
    if (event.item_id !== undefined) {
      named.item_id = this.names.of(event.item_id, place);
      named.output_index = place;
    }
    this.output.take(named, place);
    return named;
  }
}
