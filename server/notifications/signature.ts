import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** A secret as Standard Webhooks writes it: `whsec_` and 32 random bytes in base64. */
export const mintWebhookSecret = (): string => PREFIX + randomBytes(32).toString("base64");

/** Headers of an attempt: https://www.standardwebhooks.com. `at`: the time of the attempt. Each secret signs. */
export function signedHeaders(
  { id, body, at }: { id: string; body: string; at: Date },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
