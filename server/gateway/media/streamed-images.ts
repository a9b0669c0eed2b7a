/** Pictures that come as events, some of them before they are finished (spec 4.10). */
import type { Reply } from "@/server/base/reply";
import type { SoldModel } from "@/server/catalog";
import { type Plan, type Route, readText, type UpstreamReply } from "@/server/channels";
import type { EventGroup } from "@/server/protocol/answers/sse";
import { isJsonObject } from "@/server/protocol/fields";
import type { KnownForwarded } from "@/server/protocol/forwarded/forwarded";
import { ImageStream, imageEvents } from "@/server/protocol/forwarded/image-stream";
import type { PaidCall } from "../pipeline/call";
import { dispatchCall } from "../pipeline/dispatch-call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { MAX_ANSWER_BYTES, parseAnswer } from "../pipeline/relay-answer";
import { groupsOf, openGroups, readEvents } from "../stream/open-stream";
import { streamReply } from "../stream/relay-stream";
import type { OpenedStream } from "../stream/stream-frames";

/** Turns the answer of a vendor that does not stream into events. */
async function* asEvents(reply: UpstreamReply): AsyncGenerator<EventGroup> {
  const answer = await parseAnswer(await readText(reply.body, MAX_ANSWER_BYTES));
  const events = isJsonObject(answer) ? imageEvents(answer) : [];
  yield* groupsOf(events.map((event) => JSON.stringify(event)));
}

type ImageStreamRequest = { request: KnownForwarded; model: SoldModel; plan: (route: Route) => Plan };

/** Relays a stream of pictures. Throws as `dispatch` does if no stream begins. */
export async function relayImages(
  deps: GatewayDeps,
  paid: PaidCall,
  { request, model, plan }: ImageStreamRequest,
): Promise<Reply> {
  const accept = (reply: UpstreamReply): Promise<OpenedStream> => {
    const isWhole = /^application\/json\b/i.test(reply.contentType);
    const stream = new ImageStream(request, model);
    return openGroups(stream, isWhole ? asEvents(reply) : readEvents(reply.body), deps.timers);
  };
  const opened = await dispatchCall(deps, paid, { isStream: true, plan, accept });
  return streamReply(deps, { ...paid, choices: request.billableParts.pictures?.count ?? 1 }, opened);
}
