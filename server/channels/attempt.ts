import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import { withoutSecrets } from "@/server/base/redactor";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import {
  type Operation,
  readText,
  type Upstream,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
import type { Route } from "./routes";

/** A call as one route's upstream wants it. `body`: JSON text. */
export type Plan = { operation: Operation; body: string; headers: Record<string, string> };

/** One client call on its way out. */
export type Dispatch<T, P extends Plan> = {
  modelId: string;
  /** Whose call it is: what its requests bring about must not close a channel to others. */
  accountId: AccountId;
  /** How often it is sent again, a moment later, where no channel took it. Two times unless said. */
  repeats?: number;
  /** Throws cannotConvert for a route that cannot take this call; another one may. */
  plan: (route: Route) => P;
  /**
   * Reads enough of a 2xx reply to know that it is good, before anything is committed to the client. Throws
   * UpstreamFault to have the next channel tried, GatewayError to end the call.
   */
  accept: (reply: UpstreamReply, plan: P) => Promise<T>;
  /** The client's. */
  signal: AbortSignal;
};

/** It, with what it becomes for one route. */
export type Planned<P> = { route: Route; plan: P; send: NonNullable<Upstream[Operation]> };

/** What came of it. `abort` ends the upstream's reply early. */
export type Dispatched<T> = { route: Route; accepted: T; abort: () => void };

/**
 * It, with who may end it while it waits for an answer: its client, and the process that stops. To join them in one
 * signal (`AbortSignal.any`) would cost a call more than to listen to each.
 */
export type Outgoing<T, P extends Plan> = Dispatch<T, P> & { enders: readonly AbortSignal[] };

/** Why nobody waits for a call any more: the client has gone, unless the signal says otherwise. null: somebody does. */
export function endedBy(enders: readonly AbortSignal[], cause?: unknown): GatewayError | null {
  const ended = enders.find(({ aborted }) => aborted);
  if (ended === undefined) {
    return null;
  }
  return ended.reason instanceof GatewayError ? ended.reason : new GatewayError("clientGone", "", { cause });
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Throws what a reply's status means. */
async function classify(reply: UpstreamReply, secret: string): Promise<void> {
  const { status } = reply;
  if (status >= 200 && status < 300) {
    return;
  }
  const text = await readText(reply.body, MAX_ERROR_BYTES).catch(() => "");
  // Before it is shortened, which could leave a part of the credential; what was escaped goes with the rest, later.
  const words = describeErrorBody(withoutSecrets(text, [secret]));
  reply.discard();
  if (status === 400 || status === 413 || status === 422) {
    throw new GatewayError("upstreamRejected", words || `HTTP ${status}`);
  }
  throw new UpstreamFault("refused", `${status} ${words}`, {
    status,
    retryAfterMs: reply.retryAfterMs,
  });
}

/** What was thrown, as this attempt's end, without the credential that an upstream may have echoed. */
function asEnd(error: unknown, secret: string): UpstreamFault | GatewayError {
  const end =
    error instanceof UpstreamFault || error instanceof GatewayError
      ? error
      : new UpstreamFault("ours", String(error), { cause: error });
  const message = withoutSecrets(end.message, [secret]);
  if (message === end.message || (end instanceof GatewayError && end.kind !== "upstreamRejected")) {
    return end;
  }
  // Another error, for the stack and the cause of this one have its words.
  return end instanceof GatewayError
    ? new GatewayError("upstreamRejected", message)
    : new UpstreamFault(end.reason, message, {
        ...(end.status !== null && { status: end.status }),
        retryAfterMs: end.retryAfterMs,
      });
}

/**
 * One attempt, ended by its deadline or the call's enders until `accept` is content; from then on by its caller.
 */
export async function attempt<T, P extends Plan>(
  call: Outgoing<T, P>,
  { route, plan, send }: Planned<P>,
  { secret, timeoutMs }: { secret: string; timeoutMs: number },
): Promise<Dispatched<T>> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const ender of call.enders) {
    ender.addEventListener("abort", abort, { once: true });
  }
  if (endedBy(call.enders)) {
    abort();
  }
  const deadline = setTimeout(
    () => controller.abort(new UpstreamFault("timeout", `no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const reply = await send({
      owner: call.accountId,
      baseUrl: route.baseUrl,
      secret,
      body: plan.body,
      headers: plan.headers,
      signal: controller.signal,
    });
    await classify(reply, secret);
    return { route, accepted: await call.accept(reply, plan), abort };
  } catch (error) {
    const ended = endedBy(call.enders, error);
    if (ended) {
      // Not the channel's doing: its breaker must not count it.
      controller.abort();
      throw ended;
    }
    const cause: unknown = controller.signal.reason;
    const isBusy = error instanceof UpstreamFault && error.reason === "busy";
    const fault = cause instanceof UpstreamFault && !isBusy ? cause : error;
    controller.abort();
    throw asEnd(fault, secret);
  } finally {
    for (const ender of call.enders) {
      ender.removeEventListener("abort", abort);
    }
    clearTimeout(deadline);
  }
}
