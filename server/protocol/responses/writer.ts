import { LongWords } from "../answers/long-words";
import { eventFrame } from "../answers/sse";
import { isJsonObject, type JsonObject, objects } from "../fields";
import type { AnswerContext, StreamError, StreamWriter } from "../upstream-plan";
import { conversationMember, echoOf, writeResponse } from "./answer-out";
import { completeEvent, completeItem, completeResponse, isOfItem } from "./complete";
import type { ResponsesCall } from "./dialect";
import { errorOf } from "./error-out";
import { ItemNames, sealItem } from "./items-forward";
import { OutputSoFar, withContentOf } from "./output-so-far";

/**
 * Members that the gateway sets: it stores the response, and the upstream does not know what the response continues.
 */
const ownMembers = ({ id, request }: ResponsesCall): JsonObject => ({
  id,
  store: request.isStored,
  previous_response_id: request.referred.previousId,
  ...conversationMember(request.fields),
});

const ownItems = (output: unknown, names: ItemNames): JsonObject[] =>
  objects(output)
    .filter(({ type }) => typeof type === "string")
    .map((item, place) => names.name(sealItem(completeItem(item)), place));

/** A response before its upstream has sent anything. */
const unsaid = (call: ResponsesCall, context: AnswerContext): JsonObject => ({
  ...writeResponse(
    { id: call.id, echo: echoOf(call.request.fields), context },
    { status: "in_progress", output: [], usage: null },
  ),
  ...ownMembers(call),
});

/** An upstream's whole response in its client's form. */
export const ownResponse = (
  call: ResponsesCall,
  response: JsonObject,
  context: AnswerContext,
): JsonObject => ({
  ...completeResponse(response, unsaid(call, context)),
  ...ownMembers(call),
  output: ownItems(response.output, new ItemNames(call.id)),
});

/** Whether an event lacks its content, so that no client could read it. */
function isOfNothing({ type, item, annotation }: JsonObject): boolean {
  const isItem = type === "response.output_item.added" || type === "response.output_item.done";
  return (
    (isItem && !isJsonObject(item)) ||
    (type === "response.output_text.annotation.added" && !isJsonObject(annotation))
  );
}

/** Events about the response itself, before its end. */
const states = new Set<unknown>(["response.created", "response.in_progress", "response.queued"]);

const isLast = ({ type }: JsonObject) => type === "response.completed" || type === "response.incomplete";

/**
 * Passes events of a Responses upstream to a client of the same dialect: unchanged, but under the gateway's identifiers
 * and numbers, since the gateway's own keep-alives come in between.
 */
export class ResponsesWriter implements StreamWriter<JsonObject> {
  private readonly call: ResponsesCall;
  private readonly names: ItemNames;
  private readonly output = new OutputSoFar();
  private readonly long = new LongWords();
  private sequence = 0;
  /** The response before its end. */
  private begun: JsonObject;
  private last: JsonObject | null = null;

  constructor(call: ResponsesCall, context: AnswerContext) {
    this.call = call;
    this.names = new ItemNames(call.id);
    this.begun = unsaid(call, context);
  }

  /** As in `ResponsesOut`: openai's SDKs replace their whole state by its response. */
  keepAlive(): string {
    return this.sequence === 0 ? "" : this.state("response.in_progress");
  }

  write(event: JsonObject): string {
    if (isLast(event)) {
      const first = this.sequence === 0 ? this.state("response.created") : "";
      // The last event waits until the call is charged and the response stored.
      this.last = event;
      return first;
    }
    if (isJsonObject(event.response) || states.has(event.type)) {
      const response = isJsonObject(event.response) ? event.response : {};
      this.begun = { ...completeResponse(response, this.begun), ...ownMembers(this.call) };
      return this.state(String(event.type));
    }
    if (isOfNothing(event)) {
      return "";
    }
    // Some vendors start without the first event, and SDKs throw at that.
    const first = this.sequence === 0 ? this.state("response.created") : "";
    return first + this.event(this.named(event));
  }

  end(): string {
    const { last, output } = this;
    const lastResponse = isJsonObject(last?.response) ? last.response : {};
    const whole = ownItems(lastResponse.output, this.names);
    const streamed = output.list();
    // Some end with no items at all (litellm PR#38719).
    const response = {
      ...completeResponse(lastResponse, this.begun),
      ...ownMembers(this.call),
      output:
        whole.length < streamed.length
          ? streamed
          : whole.map((item, place) => withContentOf(item, streamed[place])),
    };
    const frame = this.lastItems(lastResponse.status === "incomplete" ? "incomplete" : "completed");
    const end = this.event({ ...last, type: last?.type ?? "response.completed", response });
    this.call.keep(response);
    return frame + end + this.long.say(eventFrame("[DONE]"));
  }

  /** The last events of items without one, which the final response lacks, too: agents act on these events. */
  private lastItems(status: string): string {
    return this.output.undone
      .map(([output_index, item]) =>
        this.event({
          ...{ type: "response.output_item.done", output_index },
          item: item.type === "reasoning" ? item : { ...item, status },
        }),
      )
      .join("");
  }

  fail({ code, message, sentence = message }: Omit<StreamError, "data">): string {
    const error = errorOf({ code, message: sentence });
    const response = { ...this.begun, status: "failed", error, output: this.output.list() };
    this.call.keep(response);
    return (
      this.event({ type: "error", ...error, param: null }) +
      this.event({ type: "response.failed", response }) +
      this.long.say(eventFrame("[DONE]"))
    );
  }

  private event(event: JsonObject): string {
    return this.long.event(String(event.type), { ...event, sequence_number: this.sequence++ });
  }

  rest(): Iterable<string> | null {
    return this.long.rest();
  }

  /** The response in its current state. */
  private state(type: string): string {
    return this.event({ type, response: { ...this.begun, output: this.output.list() } });
  }

  private named(upstreamEvent: JsonObject): JsonObject {
    const event = completeEvent(upstreamEvent);
    const place = this.output.placeOf(event);
    const named = { ...event };
    if (isJsonObject(event.item)) {
      const isBegun = event.type === "response.output_item.added";
      const item = this.names.name(completeItem(event.item, isBegun ? "in_progress" : "completed"), place);
      named.output_index = place;
      const { encrypted_content: sealed, ...rest } = item;
      // The encrypted data is complete only in the last event.
      const whole = isBegun ? item : withContentOf(item, this.output.at(place));
      named.item = isBegun && sealed !== undefined ? rest : sealItem(whole);
    }
    if (event.item_id !== undefined || isOfItem(event)) {
      named.item_id = this.names.of(event.item_id, place);
      named.output_index = place;
    }
    this.output.take(named, place);
    return named;
  }
}
