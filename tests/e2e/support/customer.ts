import { randomBytes } from "node:crypto";
import type { APIRequest } from "@playwright/test";
import type { Role } from "@/server/domain/enums";
import type { SignIn } from "../pages/sign-in-page";
import { openSession, type Session, setPassword } from "./session";

/** A new account, so that flows can run at the same time and against any deployment. */
export type Customer = {
  accountId: string;
  name: string;
  owner: SignIn;
  /** The owner's procedures, for preparations of a flow. */
  session: () => Promise<Session>;
  /** Returns the secret of a new key. */
  newKey: (name: string) => Promise<string>;
};

/** A unique name: `flow-3f9a…`. */
export const uniqueName = (what: string) => `${what}-${randomBytes(5).toString("hex")}`;

const newPassword = () => randomBytes(12).toString("base64url");

/** A new user of the account, or, if `accountId` is null, of the installation. */
export async function createPerson(
  operator: Session,
  { request, accountId, role }: { request: APIRequest; accountId: string | null; role: Role },
): Promise<SignIn> {
  const person = { email: `${uniqueName(role)}@tollgate.test`, password: newPassword() };
  const { url } = await operator.users.add.mutate({ accountId, email: person.email, role });
  await setPassword(await request.newContext(), { url, password: person.password });
  return person;
}

/** A new user who sees everything that an operator sees, and may change nothing. */
export const createViewer = (operator: Session, request: APIRequest): Promise<SignIn> =>
  createPerson(operator, { request, accountId: null, role: "viewer" });

/** `quota`: the monthly quota in currency units. */
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
