import { randomUUID } from "node:crypto";
import { beforeAll, expect } from "vitest";
import { linkIdentity } from "@/server/access";
import { appRouter } from "@/server/console/root";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { adminClient } from "./admin-api";
import { commandsOn } from "./command";
import { callerFor, contextFor, PASSWORD } from "./console";
import { perFile, servedModel } from "./per-file";
import { signIns } from "./sign-ins";
import { deliver, paidEvent, STRIPE_KEYS, startStripe } from "./stripe";
import { answerWith, startUpstream } from "./upstream";
import { codeAt } from "./user-room";
import { startVideoGateway, turbo } from "./video-client";

export const ADDRESSES = {
  ...{ listed: "198.51.100.77", client: "198.51.100.78", program: "198.51.100.79" },
  browser: "198.51.100.80",
};

type ProcedureCaller = Awaited<ReturnType<typeof callerFor>>;
type AskOptions = { path?: string; body?: object; headers?: Record<string, string> };
export const chatBody = { messages: [{ role: "user", content: "hi" }] };

/** A gateway for a file's tests, whose customers leave personal data behind in every table that has any. */
export function personalDataRoom() {
  const stripe = perFile(() => startStripe());
  const gateway = perFile(() =>
    startVideoGateway({
      ...STRIPE_KEYS,
      STRIPE_API_BASE: stripe.url,
      TRUSTED_PROXIES: "127.0.0.1",
      // No mail server listens there: e-mail stays in its table.
      SMTP_URL: "smtp://127.0.0.1:1",
      MAIL_FROM: "alerts@example.com",
    }),
  );
  const people = signIns(gateway);
  const upstream = perFile(() => startUpstream(answerWith("Hello there")));
  const modelId = servedModel({ gateway, upstream });
  const { run, json } = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });

  const sql = () => sqlOf(gateway.runtime.db);
  const ask = (
    secret: string,
    { path = "chat/completions", body = chatBody, headers = {} }: AskOptions = {},
  ) =>
    gateway.post(
      secret,
      path,
      { model: String(modelId), ...body },
      { headers: { "x-forwarded-for": ADDRESSES.client, ...headers } },
    );

  /** The places of these words in any column of any table, including bytes, as `table: row`. */
  async function findWords(words: string[]): Promise<string[]> {
    const tables = await sql()<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`;
    const places: string[] = [];
    for (const { name } of tables) {
      for (const word of words) {
        const rows = await sql()<{ row: string }[]>`
          select t::text as row from ${sql()(name)} t
          where strpos(t::text, ${word}) > 0 or strpos(t::text, ${Buffer.from(word).toString("hex")}) > 0`;
        places.push(...rows.map(({ row }) => `${name}: ${row}`));
      }
    }
    return places;
  }

  /** A user with a password, a session, a link to a provider, a second factor and an alert, who acts from one address. */
  async function ownerOf(accountId: AccountId, { email, word }: { email: string; word: string }) {
    const { link } = await json<{ link: string }>("user", "create", "--email", email, "--account", accountId);
    await people.setPassword(link, PASSWORD);
    const viewer = await people.entered(email, PASSWORD);
    const seat = { ...(await contextFor(gateway, null)), viewer, address: ADDRESSES.browser };
    const owner = appRouter.createCaller(seat);
    const proof = { password: PASSWORD };
    await owner.security.beginLink({ proof });
    const { db } = gateway.runtime;
    const identity = { issuer: "https://login.example", subject: `subject ${word}`, email };
    await transaction(db, (tx) => linkIdentity(tx, { ...identity, sessionId: viewer.sessionId }));
    const { secret } = await owner.security.beginTotp({ proof });
    await owner.security.enableTotp({ code: codeAt(secret) });
    await owner.alerts.set({ userId: viewer.id, events: ["key.cap_threshold", "video.completed"] });
    return { owner, userId: viewer.id };
  }

  /** Moves money in every way that adds or spends it, including an operator's price and code. */
  async function moveMoney(
    owner: ProcedureCaller,
    { accountId, operator }: { accountId: AccountId; operator: ProcedureCaller },
  ) {
    const { codes } = await operator.codes.create({ name: "spring", amount: "2.5", count: 1 });
    await owner.codes.redeem({ code: codes[0] ?? "" });
    const { id } = await owner.payments.create({ amount: "50" });
    const session = stripe.sessions.find(({ paymentId }) => paymentId === id) ?? expect.fail("no session");
    expect((await deliver(gateway.url, paidEvent(session))).status).toBe(200);
    await operator.accounts.topUp({ accountId, amount: "5", reason: "goodwill" });
  }

  /** A customer with all the data that customers leave behind, under a unique word. */
  async function customerWithTraces() {
    const word = randomUUID();
    const made = await gateway.customer();
    const { accountId, secret } = made;
    const operator = await callerFor(gateway, { role: "operator" });
    await operator.accounts.rename({ accountId, name: `Firm ${word}` });
    const former = `former-${word}@example.com`;
    const gone = await ownerOf(accountId, { email: former, word: `former ${word}` });
    await gone.owner.keys.create({ name: `first ${word}` });
    await operator.users.remove({ userId: gone.userId });
    const email = `person-${word}@example.com`;
    const { owner, userId } = await ownerOf(accountId, { email, word });
    const { id: keyId } = await owner.keys.create({ name: `key ${word}`, allowedIps: [ADDRESSES.listed] });
    await owner.keys.setStatus({ keyId, status: "disabled" });
    const program = await owner.managementKeys.create({ name: `program ${word}`, isReadOnly: false });
    const answer = await adminClient(gateway, program.secret)(
      "POST /keys",
      { name: `made by a program ${word}` },
      { "idempotency-key": word, "x-forwarded-for": ADDRESSES.program },
    );
    expect(answer.status).toBe(201);
    const revoked = await owner.managementKeys.create({ name: `old program ${word}`, isReadOnly: false });
    const before = await adminClient(gateway, revoked.secret)("POST /keys", {
      name: word,
    });
    expect(before.status).toBe(201);
    await owner.managementKeys.revoke({ managementKeyId: revoked.id });
    await owner.webhooks.create({ url: `https://${word}.example/hook`, events: ["video.completed"] });
    await moveMoney(owner, { accountId, operator });
    for (const response of [
      await ask(secret),
      await ask(secret, { headers: { "idempotency-key": word } }),
      await ask(secret, { path: "responses", body: { input: word, [word]: 1 } }),
      await ask(secret, { path: "conversations", body: { items: [{ role: "user", content: word }] } }),
    ]) {
      expect(response.status).toBe(200);
      await response.text();
    }
    // A model that does not exist, under a name of the client's own.
    expect((await ask(secret, { body: { ...chatBody, model: `my ${word}` } })).status).toBe(404);
    await owner.keys.update({ keyId: made.keyId, name: `capped ${word}`, monthlyCap: "0.06" });
    const taskId = await gateway.begin(secret, { ...turbo, prompt: `a cat ${word}` });
    await gateway.reach(secret, taskId, "completed");
    await gateway.runtime.notifications.watch();
    await gateway.runtime.calls.flush();
    await gateway.runtime.access.flushUses();
    return { ...made, word, email, former, operator, userId };
  }

  /** Operators get the events of every account, too. */
  beforeAll(async () => {
    const operator = await callerFor(gateway, { role: "operator" });
    await operator.installationWebhooks.create({
      url: "https://operators.example/hook",
      events: ["key.cap_threshold", "video.completed"],
    });
  });

  return { gateway, upstream, modelId, run, json, sql, ask, findWords, customerWithTraces };
}
