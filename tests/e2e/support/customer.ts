import { randomBytes } from "node:crypto";
import type { APIRequest } from "@playwright/test";
import type { Role } from "@/server/base/facts";
import type { SignIn } from "../pages/sign-in-page";
import { openSession, type Session, setPassword } from "./session";

/** An account of its own, so that flows run beside each other and anywhere. */
export type Customer = {
  accountId: string;
  name: string;
  owner: SignIn;
  /** The owner's procedures, for what a flow needs and is not about. */
  session: () => Promise<Session>;
  /** A new key's secret. */
  newKey: (name: string) => Promise<string>;
};

/** A name that nobody has: `flow-3f9a…`. */
export const uniqueName = (what: string) => `${what}-${randomBytes(5).toString("hex")}`;

const newPassword = () => randomBytes(12).toString("base64url");

/** Somebody new: of an account, or with null of those who run the gateway. */
export async function createPerson(
  operator: Session,
  { request, accountId, role }: { request: APIRequest; accountId: string | null; role: Role },
): Promise<SignIn> {
  const person = { email: `${uniqueName(role)}@tollgate.test`, password: newPassword() };
  const { url } = await operator.users.add.mutate({ accountId, email: person.email, role });
  await setPassword(await request.newContext(), { url, password: person.password });
  return person;
}

/** Somebody new who sees what an operator sees, and changes nothing. */
export const createViewer = (operator: Session, request: APIRequest): Promise<SignIn> =>
  createPerson(operator, { request, accountId: null, role: "viewer" });

/** `quota`: of the month, in currency units. */
export async function createCustomer(
  operator: Session,
  { request, quota }: { request: APIRequest; quota: string },
): Promise<Customer> {
  const name = uniqueName("flow");
  const owner = { email: `${name}@tollgate.test`, password: newPassword() };
  const { id, invitation } = await operator.accounts.create.mutate({ name, quota, email: owner.email });
  await setPassword(await request.newContext(), { url: invitation?.url ?? "", password: owner.password });
  const session = async () => await openSession(await request.newContext(), owner);
  return {
    accountId: id,
    name,
    owner,
    session,
    newKey: async (keyName) => (await (await session()).keys.create.mutate({ name: keyName })).secret,
  };
}
