import { type APIRequest, type BrowserContextOptions, expect } from "@playwright/test";
import type { SignIn } from "../pages/sign-in-page";
import { type Customer, createCustomer, createViewer, uniqueName } from "./customer";
import { deployment } from "./deployment";
import { CHAT_MODEL, callerWith, VIDEO_MODEL } from "./gateway";
import { openSession, type Session } from "./session";

export type Role = "nobody" | "owner" | "operator" | "viewer";

/** One object of each kind that screens show, and the users who may see them. */
export type People = {
  /** The initial browser state of each role. */
  sessions: Record<Role, BrowserContextOptions>;
  accountId: string;
  accountName: string;
  keyId: string;
  taskId: string;
  requestId: string;
  channelId: string;
  priceGroupId: string;
  priceGroupName: string;
  /** A payment that is not paid yet. */
  paymentId: string;
  chatModel: string;
  videoModel: string;
};

/** Returns the id of the newest call, once the log has it. */
export async function newestRequest(session: Session): Promise<string> {
  let requestId = "";
  const ask = async () => {
    requestId = (await session.calls.list.query({})).rows[0]?.requestId ?? "";
    return requestId;
  };
  await expect.poll(ask).not.toBe("");
  return requestId;
}

/**
 * The owner's procedures, and the initial browser states of an anonymous visitor, the owner, the operator and a new
 * viewer.
 */
export async function openBrowsers(operator: Session, request: APIRequest, owner: SignIn) {
  const stateOf = async (user: SignIn) => {
    const context = await request.newContext();
    const session = await openSession(context, user);
    return { session, browser: { storageState: await context.storageState() } };
  };
  const { session, browser } = await stateOf(owner);
  const sessions: People["sessions"] = {
    ...{ nobody: {}, owner: browser, operator: (await stateOf(deployment.admin())).browser },
    viewer: (await stateOf(await createViewer(operator, request))).browser,
  };
  return { session, sessions };
}

/** An account with some activity. */
export async function createPeople(operator: Session, request: APIRequest): Promise<People> {
  return await createBelongings(operator, request, await createCustomer(operator, { request, quota: "50" }));
}

/** Keys, calls, videos and a payment of an account. */
export async function createBelongings(
  operator: Session,
  request: APIRequest,
  { accountId, name: accountName, owner }: Pick<Customer, "accountId" | "name" | "owner">,
): Promise<People> {
  const { session, sessions } = await openBrowsers(operator, request, owner);
  const key = await session.keys.create.mutate({ name: "production", monthlyCap: "20" });
  const closed = await session.keys.create.mutate({ name: "closed", allowedIps: ["203.0.113.0/24"] });
  await session.keys.setStatus.mutate({ keyId: closed.id, status: "disabled" });
  // Nothing keeps their secrets; only the rows stay.
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  await session.managementKeys.create.mutate({ name: "billing service", expiresAt });
  const installations = { accountId: null, name: "sign-up service", expiresAt };
  await operator.installationKeys.create.mutate(installations);
  const caller = callerWith(key.secret);
  await caller.chat();
  await caller.chat("no-such-model");
  const taskId = await caller.submitVideo("A paper boat on a river");
  await caller.submitVideo("A lantern in the rain [fail]");
  await operator.accounts.topUp.mutate({ accountId, amount: "5", reason: "goodwill" });
  const priceGroup = await operator.prices.createGroup.mutate({
    ...{ name: uniqueName("resellers"), factor: "0.8" },
    models: [{ modelId: CHAT_MODEL, factor: "0.75" }],
  });
  await operator.accounts.setPriceGroup.mutate({ accountId, priceGroupId: priceGroup.id });
  const isPayable = deployment.takesPayments();
  const payment = isPayable ? await session.payments.create.mutate({ amount: "20" }) : { id: "none" };
  return {
    sessions,
    accountId,
    accountName,
    keyId: key.id,
    taskId,
    requestId: await newestRequest(session),
    channelId: (await operator.channels.list.query())[0]?.id ?? "",
    priceGroupId: priceGroup.id,
    priceGroupName: priceGroup.name,
    paymentId: payment.id,
    chatModel: CHAT_MODEL,
    videoModel: VIDEO_MODEL,
  };
}
