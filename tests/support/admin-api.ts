import { issueManagementKey } from "@/server/access";
import type { AccountId } from "@/server/domain/ids";
import type { TestGateway } from "./gateway";

type AdminAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** `request`: a method and a path below `/admin/v1`. */
export type AdminClient = (
  request: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<AdminAnswer>;

/** Sends requests with this secret; "" for none. */
export const adminClient =
  ({ url }: Pick<TestGateway, "url">, secret: string): AdminClient =>
  async (request, body, headers = {}) => {
    const [method = "", path = ""] = request.split(" ");
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: {
        ...(secret !== "" && { authorization: `Bearer ${secret}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

type AdminKeyTerms = { accountId?: AccountId; isReadOnly?: boolean; expiresAt?: Date };

/** A client with a new management key: the account's, or without one the installation's. */
export async function newManager(
  gateway: TestGateway,
  { accountId, isReadOnly = false, expiresAt }: AdminKeyTerms = {},
): Promise<AdminClient & { id: string; secret: string }> {
  const { id, secret } = await issueManagementKey(
    gateway.runtime.db,
    {
      ...{ accountId: accountId ?? null, name: "provisioner", isReadOnly, expiresAt: expiresAt ?? null },
      createdBy: "test",
    },
    gateway.runtime.secrets.keyPepper,
  );
  return Object.assign(adminClient(gateway, secret), { id, secret });
}
