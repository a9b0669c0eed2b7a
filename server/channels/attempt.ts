import type { Timers } from "@/server/base/clock";
import { onSilence } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import { withoutSecrets } from "@/server/base/redactor";
import { describeErrorBody, readGoogleDetails } from "@/server/protocol/upstream-error";
import {
  type Operation,
  readText,
  type Upstream,
  type UpstreamCall,
  UpstreamFault,
  type UpstreamReply,
} from "@/server/upstream";
import { type Attempt, type AttemptEnd, beginAttempt, endAttempt, sinceBegan } from "./attempts";
import type { Chosen } from "./choice";
import { OUTRUN } from "./hedge";
import type { Route } from "./routes";

/** A call as one route's upstream wants it. */
export type Plan = {
  operation: Operation;
  /** Below the base URL, where the operation alone does not say it. */
  path?: string;
  body: UpstreamCall["body"];
  headers: Record<string, string>;
};

/** One client call on its way out. */
export type Dispatch<T, P extends Plan> = Chosen & {
  /** Whose call it is: what its requests bring about must not close a channel to others. */
  accountId: AccountId;
  /** How often it is sent again, a moment later, where no channel took it. Two times unless said. */
  repeats?: number;
  /** Throws cannotConvert for a route that cannot take this call; another one may. */
  plan: (route: Route) => P | Promise<P>;
  /**
   * Reads enough of a 2xx reply to know that it is good, before anything is committed to the client. Throws
   * UpstreamFault to have the next channel tried, GatewayError to end the call.
   */
  accept: (reply: UpstreamReply, plan: P, attempt: Attempt) => Promise<T>;
  /** What is accepted goes on to come: its caller says how it ends. */
  isStream?: boolean;
  /** Of a stream: it is asked for at the next channel, too, where none has begun after so long. null: it waits. */
  hedgeAfterMs?: number | null;
  /** Headers that every upstream gets: the trace that the call belongs to. */
  passedOn: Record<string, string>;
  /** Each attempt is added when it begins, and goes on to be filled in until it has ended. */
  attempts: Attempt[];
  /** The client's. */
  signal: AbortSignal;
};

/** It, with what it becomes for one route. */
export type Planned<P> = { route: Route; plan: P; send: NonNullable<Upstream[Operation]> };

/**
 * What came of it. `abort` ends the upstream's reply early. `ended`: how a stream did, to be said once; of anything else
 * it is known.
 */
export type Dispatched<T> = {
  route: Route;
  accepted: T;
  abort: () => void;
  ended: (end: AttemptEnd) => void;
};

/**
 * The process that stops, for all calls that wait for an answer. A signal that each call joins with its own, or listens
 * to, costs them more the more of them there are.
 */
export type Stopping = {
  signal: AbortSignal;
  add: (abort: () => void) => void;
  delete: (abort: () => void) => void;
};

export function createStopping(signal: AbortSignal): Stopping {
  const aborts = new Set<() => void>();
  signal.addEventListener("abort", () => {
    for (const abort of aborts) {
      abort();
    }
  });
  return { signal, add: (abort) => void aborts.add(abort), delete: (abort) => void aborts.delete(abort) };
}

/** It, with who else may end it while it waits for an answer, and who is told of each attempt when it has ended. */
export type Outgoing<T, P extends Plan> = Dispatch<T, P> & {
  stopping: Stopping;
  timers: Timers;
  observe: (attempt: Attempt) => void;
  /** Told how long a route took to answer, at least. */
  measured: (route: Route, ms: number) => void;
};

/** Why nobody waits for a call any more: the client has gone, unless the signal says otherwise. null: somebody does. */
export function endOf(
  { signal, stopping }: Pick<Outgoing<unknown, Plan>, "signal" | "stopping">,
  cause?: unknown,
): GatewayError | null {
  const ended = signal.aborted ? signal : stopping.signal;
  if (!ended.aborted) {
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
  const google = readGoogleDetails(text);
  if ((status === 400 && !google.isOfCredential) || status === 413 || status === 422) {
    throw new GatewayError("upstreamRejected", words || `HTTP ${status}`);
  }
  throw new UpstreamFault("refused", `${status} ${words}`, {
    // What others call a key that is none.
    status: google.isOfCredential ? 401 : status,
    retryAfterMs: reply.retryAfterMs ?? google.retryAfterMs,
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
 * One attempt, ended by its deadline, the client's hang-up or the process's stop until `accept` is content; from then on by its caller.
 */
export async function attempt<T, P extends Plan>(
  call: Outgoing<T, P>,
  { route, plan, send }: Planned<P>,
  { secret, hint, timeoutMs }: { secret: string; hint: string; timeoutMs: number },
): Promise<Dispatched<T>> {
  const made = beginAttempt({
    channelId: route.channelId,
    channelVersion: route.version,
    channel: route.name,
    api: route.api,
    operation: plan.operation,
    credential: hint,
    modelId: call.modelId,
    upstreamModel: route.upstreamName,
  });
  call.attempts.push(made);
  const ended = (end: AttemptEnd) => {
    endAttempt(made, end, secret);
    call.observe(made);
  };
  const controller = new AbortController();
  const abort = () => controller.abort();
  call.signal.addEventListener("abort", abort, { once: true });
  call.stopping.add(abort);
  if (endOf(call)) {
    abort();
  }
  const endDeadline = onSilence(
    timeoutMs,
    () => controller.abort(new UpstreamFault("timeout", `no answer within ${timeoutMs} ms`)),
    call.timers,
  );
  try {
    const reply = await send({
      owner: call.accountId,
      baseUrl: route.baseUrl,
      secret,
      body: plan.body,
      headers: { ...call.passedOn, ...plan.headers },
      ...(plan.path !== undefined && { path: plan.path }),
      signal: controller.signal,
    });
    Object.assign(made, { status: reply.status, headMs: sinceBegan(made) });
    await classify(reply, secret);
    const accepted = await call.accept(reply, plan, made);
    call.measured(route, sinceBegan(made));
    if (call.isStream) {
      made.firstMs = sinceBegan(made);
      return { route, accepted, abort, ended };
    }
    ended("ok");
    return { route, accepted, abort, ended: () => {} };
  } catch (error) {
    const unwanted = endOf(call, error);
    if (unwanted) {
      // Not the channel's doing: its breaker must not count it.
      controller.abort();
      if (unwanted === OUTRUN) {
        call.measured(route, sinceBegan(made));
      }
      ended("abandoned");
      throw unwanted;
    }
    const cause: unknown = controller.signal.reason;
    const isBusy = error instanceof UpstreamFault && error.reason === "busy";
    const fault = cause instanceof UpstreamFault && !isBusy ? cause : error;
    controller.abort();
    const end = asEnd(fault, secret);
    if (end instanceof UpstreamFault && end.reason === "timeout") {
      call.measured(route, sinceBegan(made));
    }
    ended(end instanceof UpstreamFault ? end : "rejected");
    throw end;
  } finally {
    call.signal.removeEventListener("abort", abort);
    call.stopping.delete(abort);
    endDeadline();
  }
}
