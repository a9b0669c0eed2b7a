import type { callerFor } from "./console";
import type { Subject } from "./told-change";

export type Caller = Awaited<ReturnType<typeof callerFor>>;

/** What an answer may say of what was made. */
export type Made = { id: string; codes?: string[] };

export type Door = {
  /** As a browser asks. */
  console: (of: Subject) => Promise<unknown>;
  /** As one types it. */
  command: (of: Subject) => string;
  /** As a program asks the admin API, and with which body. Absent: programs may not. */
  admin?: (of: Subject) => [request: string, body?: object];
  /** What the next steps need of it. */
  learn?: (of: Subject, answer: Made) => void;
};

/** What is done with redeem codes and payments, by every door. */
export const codeSteps = (by: Record<"operator" | "owner", () => Caller>): Record<string, Door> => ({
  "code.create": {
    console: ({ name }) => by.operator().codes.create({ name, amount: "2.5", count: 2 }),
    command: ({ name }) => `code create --name ${name} --amount 2.5 --count 2`,
    learn: (of, { id, codes: [code = ""] = [] }) => void Object.assign(of, { batchId: id, code }),
    admin: ({ name }) => ["POST /code-batches", { name, amount: "2.5", count: 2 }],
  },
  "code.redeem": {
    console: ({ code }) => by.owner().codes.redeem({ code }),
    command: ({ name, code }) => `code redeem --account ${name} --code ${code}`,
    admin: ({ accountId, code }) => [`POST /accounts/${accountId}/redemptions`, { code }],
  },
  "payment.create": {
    console: () => by.owner().payments.create({ amount: "20" }),
    command: ({ name }) => `payment create --account ${name} --amount 20`,
    admin: ({ accountId }) => [`POST /accounts/${accountId}/payments`, { amount: "20" }],
  },
  "code.disable": {
    console: ({ batchId }) => by.operator().codes.disable({ batchId }),
    command: ({ batchId }) => `code disable --batch ${batchId}`,
    admin: ({ batchId }) => [`POST /code-batches/${batchId}/disable`],
  },
});
