import type { ChangeEntry } from "@/server/audit";
import type { AccountId } from "@/server/base/ids";
import { madeUp } from "./made-up";

/** Whatever is named like this is one subject; each door has its own, made by itself. */
export type Subject = {
  name: string;
  keyId: string;
  taskId: string;
  accountId: AccountId;
  userId: string;
  channelId: string;
  batchId: string;
  webhookId: string;
  groupId: string;
  deliveryId: string;
  code: string;
  requestId: string;
  /** Whose charge `requestId` is. */
  payerId: AccountId;
};
export function subject(door: string): Subject {
  return {
    name: `doors-of-${door}`,
    keyId: "",
    taskId: "",
    accountId: madeUp(""),
    userId: "",
    channelId: "",
    batchId: "",
    webhookId: "",
    groupId: "",
    deliveryId: "",
    code: "",
    requestId: "",
    payerId: madeUp(""),
  };
}

/** The entry without what differs between any two: who, when, and the names and identifiers of the two subjects. */
export function plain(
  { action, accountId, targetId, targetName, before, after }: ChangeEntry,
  of: Subject,
): unknown {
  const text = JSON.stringify({ action, accountId, targetId, targetName, before, after }, (member, value) =>
    ["createdAt", "lastFour", "oldLastFour", "oldUntil"].includes(member) && value ? `<${member}>` : value,
  );
  const known = Object.entries(of).filter(([, value]) => value !== "");
  return JSON.parse(
    known
      .reduce((told, [member, value]) => told.replaceAll(value, `<${member}>`), text)
      .replaceAll(/"usr_\w+"/g, '"<user>"')
      .replaceAll(/"key_\w+"/g, '"<key>"')
      .replaceAll(/"pay_\w+"/g, '"<payment>"'),
  );
}
