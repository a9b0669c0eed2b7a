/** `/api/playground/*`: calls from the console, on the account's own console key. */
import { getAccount, getConsoleKey, type SessionUser } from "@/server/access";
import { languageOf } from "@/server/base/language";
import { jsonReply, type Reply, toResponse } from "@/server/base/reply";
import { may } from "@/server/domain/roles";
import type { Runtime } from "@/server/runtime/runtime";
import { getRuntime } from "@/server/runtime/shared-runtime";
import { addressOf, isJson, isOwnSite, originOf } from "./request";
import { findViewer } from "./viewer";

const PREFIX = "/api/playground/";

/** The paths below `/v1` that pages call. The gateway answers any other as a path that it does not have. */
const SERVED = /^(?:chat\/completions|messages|embeddings|videos\/generations(?:\/\w{1,64})?)$/;

/** Headers that the gateway reads. The session's cookie is not passed on. */
const PASSED_ON = [
  "content-type",
  "accept-language",
  "anthropic-version",
  "anthropic-beta",
  "idempotency-key",
];

/**
 * Rewrites a request as a call of `/v1`. The call holds the original request: once that is collected, its client's
 * hang-up no longer reaches derived signals.
 */
function callOf(request: Request, path: string): Request {
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) {
      headers.set(name, value);
    }
  }
  const call = new Request(`${originOf(request.headers)}/v1/${path}`, {
    method: request.method,
    headers,
    signal: request.signal,
    ...(request.body && { body: request.body, duplex: "half" as const }),
  });
  return Object.assign(call, { source: request });
}

/** Refusals before a call reaches the gateway. */
const refusals = {
  cross_site: { status: 403, zh: "请在控制台的页面内调用", en: "Use the console's own pages" },
  invalid_content_type: {
    status: 415,
    zh: "Content-Type 必须是 application/json",
    en: "Content-Type must be application/json",
  },
  signed_out: { status: 401, zh: "登录已失效,请重新登录", en: "The session is over, please sign in again" },
  password_change_needed: { status: 403, zh: "请先修改密码", en: "Change your password first" },
  account_needed: {
    status: 403,
    zh: "只有账号的所有者和成员可以在线调试",
    en: "Only an account's owners and members can use the playground",
  },
};

/** A refusal in the gateway's own form. */
const refuse = (slug: keyof typeof refusals, { headers }: Request): Response => {
  const { status, ...texts } = refusals[slug];
  const message = texts[languageOf(headers.get("accept-language"))];
  const reply = jsonReply(status, { code: status, message, data: null });
  return toResponse({ ...reply, headers: { ...reply.headers, "x-error-code": slug } });
};

/** No cache may store the answer. */
const unstored = (reply: Reply): Reply => ({
  ...reply,
  headers: { "cache-control": "no-store", ...reply.headers },
});

/**
 * Answers a call as the gateway answers a key's: with the same limits, charge and record. It charges only the session's
 * own account, and only for our own pages: a form of another site cannot send JSON, and a browser names the site of a
 * call.
 */
export async function play(
  { runtime, viewer }: { runtime: Runtime; viewer: SessionUser | null },
  request: Request,
): Promise<Response> {
  if (!isOwnSite(request.headers)) {
    return refuse("cross_site", request);
  }
  if (request.method !== "GET" && !isJson(request.headers)) {
    return refuse("invalid_content_type", request);
  }
  if (!viewer) {
    return refuse("signed_out", request);
  }
  if (viewer.mustChangePassword) {
    return refuse("password_change_needed", request);
  }
  if (viewer.accountId === null || !may(viewer.role, "calls.make")) {
    return refuse("account_needed", request);
  }
  const path = new URL(request.url).pathname.slice(PREFIX.length);
  const { id: keyId, accountId, ...key } = await getConsoleKey(runtime.db, viewer.accountId);
  const {
    requestsPerMinute,
    maxConcurrent,
    models,
    monthlyCap,
    weeklyCap,
    dailyCap,
    tellsCost,
    cachesPrompts,
  } = key;
  const account = await getAccount(runtime.db, accountId);
  const limits = { requestsPerMinute, maxConcurrent, models, monthlyCap, weeklyCap, dailyCap };
  const caller = { accountId, keyId, account, tellsCost, cachesPrompts, ...limits };
  const endpoint = runtime.gateway.at(SERVED.test(path) ? `/v1/${path}` : "");
  const answer = request.method === "GET" ? endpoint.GET : endpoint.POST;
  const as = { caller, address: addressOf(request.headers) };
  return toResponse(unstored(await answer(callOf(request, path), null, as)));
}

export const answerPlayground = async (request: Request): Promise<Response> =>
  await play({ runtime: await getRuntime(), viewer: await findViewer() }, request);
