import { channels, sales } from "./door-sales";
import { changing, type DoorStep, ofAccount, step } from "./door-step";

export type { DoorStep as Step, StepSubject as Subject } from "./door-step";

const SECOND = "--email second@{name}.test";
const url = "https://hooks.doors.test/told";

const ofUser = changing("users", "PATCH /users/{user_id}", ["user", SECOND]);
const ofKey = changing("keys", "PATCH /keys/{key_id}", ["key", "--key {keyId}"]);

const people: Record<string, DoorStep> = {
  "account.create": step("accounts.create", "POST /accounts", {
    command: "account create --name {name} --quota 10 --email first@{name}.test --max-concurrent 4",
    with: { name: "{name}", quota: "10", email: "first@{name}.test", maxConcurrent: 4 },
    makes: "accountId",
  }),
  "account.set_limits": ofAccount("setLimits", "set-limits --rpm 9 --max-concurrent none", {
    requestsPerMinute: 9,
    maxConcurrent: null,
  }),
  "account.set_stores_responses": ofAccount("setStoresResponses", "keep-responses --off", {
    storesResponses: false,
  }),
  "account.set_carries_topups": ofAccount("setCarriesTopups", "carry-topups", { carriesTopups: true }),
  "account.set_buyer": ofAccount("setBuyer", "set-buyer --name ACME --tax-id none", {
    buyerName: "ACME",
    buyerTaxNumber: null,
  }),
  "account.set_quota": ofAccount("setQuota", "set-quota --amount 20.5 --reason contract", {
    quota: "20.5",
    reason: "contract",
  }),
  "account.top_up": step("accounts.topUp", "POST /accounts/{account_id}/top-ups", {
    command: "account topup --account {name} --amount 3 --reason gift",
    with: { amount: "3", reason: "gift" },
  }),
  "account.disable": ofAccount("setStatus", "disable", { status: "disabled" }),
  "account.enable": ofAccount("setStatus", "enable", { status: "active" }),
  "user.create": step("users.add", "POST /users", {
    command: `user create --account {name} ${SECOND}`,
    with: { accountId: "{accountId}", email: "second@{name}.test" },
  }),
  "user.invite": step("users.resetPassword", "POST /users/{user_id}/password-resets", {
    command: `user reset-password ${SECOND}`,
  }),
  "user.disable": ofUser("setStatus", "disable", { status: "disabled" }),
  "user.enable": ofUser("setStatus", "enable", { status: "active" }),
  "user.sign_out_everywhere": step("users.signOut", "DELETE /users/{user_id}/sessions", {
    command: `user sign-out ${SECOND}`,
  }),
  "user.reset_totp": step("users.resetTotp", "DELETE /users/{user_id}/second-factor", {
    command: `user reset-totp ${SECOND}`,
  }),
  "user.unlink_identity": step("users.unlink", "DELETE /users/{user_id}/provider", {
    command: `user unlink ${SECOND}`,
  }),
  "user.remove": step("users.remove", "DELETE /users/{user_id}", { command: `user remove ${SECOND}` }),
  "user.erase": step("users.erase", "POST /users/{user_id}/erasures", {
    command: "user erase --email third@{name}.test",
  }),
};

const terms = {
  ...{ name: "first", allowedIps: ["203.0.113.7"], models: ["gpt"], monthlyCap: "2.5", weeklyCap: "1.5" },
  ...{ dailyCap: "0.5", requestsPerMinute: 5, expiresAt: "2099-01-31T00:00:00.000Z" },
};
const keys: Record<string, DoorStep> = {
  "key.create": step("keys.create", "POST /keys", {
    command:
      "key create --account {name} --name first --allow-ip 203.0.113.7 --model gpt --cap 2.5 --rpm 5 " +
      "--weekly-cap 1.5 --daily-cap 0.5 --expires 2099-01-31T00:00:00Z",
    with: { accountId: "{accountId}", ...terms },
    makes: "keyId",
  }),
  "key.update": ofKey("update", "set-limits --rpm none --max-concurrent 2 --daily-cap none", {
    requestsPerMinute: null,
    maxConcurrent: 2,
    dailyCap: null,
  }),
  "key.rotate": step("keys.rotate", "POST /keys/{key_id}/rotations", {
    command: "key rotate --key {keyId}",
    with: { keepOldSeconds: 3_600 },
  }),
  "key.retire_secret": step("keys.retireSecret", "DELETE /keys/{key_id}/old-secret", {
    command: "key retire-secret --key {keyId}",
  }),
  "key.duplicate": step("keys.duplicate", "POST /keys/{key_id}/duplicates", {
    command: "key duplicate --key {keyId} --name second",
    with: { name: "second" },
  }),
  "key.disable": ofKey("setStatus", "disable", { status: "disabled" }),
  "key.enable": step("accounts.keys.setStatus", "PATCH /keys/{key_id}", {
    command: "key enable --key {keyId} --account {name}",
    with: { accountId: "{accountId}", status: "active" },
  }),
  "key.delete": step("keys.delete", "DELETE /keys/{key_id}", { command: "key delete --key {keyId}" }),
  "user.set_role": step("users.setRole", "PATCH /users/{user_id}", {
    command: "user set-role --email operator@{name}.test --role viewer",
    with: { role: "viewer" },
  }),
  "alert.set": step("installationAlerts.set", "PATCH /alerts/{user_id}", {
    command: "alert set --email operator@{name}.test --event video.failed --language en",
    with: { events: ["video.failed"], language: "en" },
  }),
  "alert.test": step("installationAlerts.test", "POST /alerts/{user_id}/tests", {
    command: "alert test --email operator@{name}.test",
  }),
};

const money: Record<string, DoorStep> = {
  "code.create": step("codes.create", "POST /code-batches", {
    command: "code create --name {name} --amount 2.5 --count 2",
    with: { name: "{name}", amount: "2.5", count: 2 },
    makes: "batchId",
  }),
  "code.redeem": step("codes.redeem", "POST /accounts/{account_id}/redemptions", {
    command: "code redeem --account {name} --code {code}",
    with: { code: "{code}" },
  }),
  "payment.create": step("payments.create", "POST /accounts/{account_id}/payments", {
    command: "payment create --account {name} --amount 20",
    with: { amount: "20" },
  }),
  "code.disable": step("codes.disable", "POST /code-batches/{batch_id}/disable", {
    command: "code disable --batch {batchId}",
  }),
  "account.adjust": step("accounts.adjust", "POST /accounts/{account_id}/adjustments", {
    command: "account adjust --account {name} --debit --amount 0.5 --reason correction",
    with: { amount: "-0.5", reason: "correction" },
  }),
  "refund.create": step("allCalls.refund", "POST /refunds", {
    command: "refund create --account {payerId} --request {requestId} --amount 0.5 --reason outage",
    with: { accountId: "{payerId}", requestId: "{requestId}", amount: "0.5", reason: "outage" },
  }),
};

const accountId = "{accountId}";
const programs: Record<string, DoorStep> = {
  "webhook.create": step("installationWebhooks.create", "POST /webhooks", {
    command: `webhook create --account {name} --url ${url} --event video.failed`,
    with: { accountId, url, events: ["video.failed"] },
    makes: "webhookId",
  }),
  "webhook.update": step("installationWebhooks.update", "PATCH /webhooks/{webhook_id}", {
    command: "webhook update --account {name} --webhook {webhookId} --disable",
    with: { accountId, status: "disabled" },
  }),
  "webhook.rotate": step("installationWebhooks.rotate", "POST /webhooks/{webhook_id}/secrets", {
    command: "webhook rotate --account {name} --webhook {webhookId}",
    with: { accountId },
  }),
  "webhook.test": step("installationWebhooks.test", "POST /webhooks/{webhook_id}/tests", {
    command: "webhook test --account {name} --webhook {webhookId}",
    with: { accountId },
    makes: "deliveryId",
  }),
  "webhook.redeliver": step("installationWebhooks.redeliver", "POST /webhooks/{webhook_id}/redeliveries", {
    command: "webhook redeliver --account {name} --webhook {webhookId} --delivery {deliveryId}",
    with: { accountId, deliveryId: "{deliveryId}" },
  }),
  "webhook.delete": step("installationWebhooks.remove", "DELETE /webhooks/{webhook_id}", {
    command: "webhook delete --account {name} --webhook {webhookId}",
    with: { accountId },
  }),
  // A program that could make keys for programs could not be locked out.
  "management_key.create": step("installationKeys.create", null, {
    command: "management-key create --account {name} --name app --read-only",
    with: { accountId, name: "app", isReadOnly: true },
    makes: "keyId",
  }),
  "management_key.revoke": step("managementKeys.revoke", null, {
    command: "management-key revoke --key {keyId}",
    with: { managementKeyId: "{keyId}" },
  }),
};

/** One history, in order, as each door can make it. */
export const steps: Record<string, DoorStep> = {
  ...people,
  ...keys,
  ...money,
  ...programs,
  ...sales,
  ...channels,
  "account.rename": ofAccount("rename", "rename --name {name}-ltd", { name: "{name}-ltd" }),
  "task.cancel": step("allVideos.cancel", "POST /tasks/{task_id}/cancellations", {
    command: "task cancel --task {taskId}",
  }),
  "account.erase": step("accounts.erase", "POST /accounts/{account_id}/erasures", {
    command: "account erase --account {accountId}",
  }),
};

/** Changes that only one door has, and why. */
export const singleDoor: Record<string, string> = {
  "user.reset_password": "as user.invite, for a user who has a password",
  "user.ask_password": "the worker records the link that it mails to a person who cannot sign in",
  "user.set_password": "it needs a link",
  "user.change_password": "it changes the caller's own user, and a command has none",
  "user.enable_totp": "it changes the caller's own user, and a command has none",
  "user.disable_totp": "it changes the caller's own user, and a command has none",
  "user.end_session": "it changes the caller's own user, and a command has none",
  "user.link_identity": "it needs a sign-in at the provider",
  "user.renew_recovery_codes": "it changes the caller's own user, and a command has none",
  "ledger.repair": "only a command: it follows a verification",
  "ledger.archive": "only a command: it follows the file that it has written",
  "secrets.rotate": "only a command: it needs the environment",
  "secrets.accept": "only a command: it needs the environment",
};
