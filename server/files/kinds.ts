/** The kinds of objects in configuration files, in the order in which they are applied. */
import { getAccount, getUser, listAccounts, listUsers } from "@/server/access";
import { getModel, getPriceGroup, listCatalog, listPriceGroups } from "@/server/catalog";
import type { AccountId } from "@/server/domain/ids";
import {
  accountOperations,
  modelOperations,
  priceGroupOperations,
  userOperations,
} from "@/server/operations";
import { channels } from "./channel-kind";
import { keys } from "./key-kind";
import { type Kind, kind, step } from "./kind";

const models = kind({
  noun: "model",
  section: "models",
  name: "id",
  create: step(modelOperations.create),
  steps: [step(modelOperations.update)],
  target: ({ id }) => ({ id }),
  // The ledger and tasks name models, so they are never removed.
  prune: {
    step: step(modelOperations.update),
    enabled: { isEnabled: true },
    disabled: { isEnabled: false },
  },
  list: async (db) =>
    (await listCatalog(db)).map((model) => ({
      id: model.id,
      name: model.id,
      view: modelOperations.view(model),
    })),
  read: async (db, { id }) => modelOperations.view(await getModel(db, id)),
});

const priceGroups = kind({
  noun: "price group",
  section: "priceGroups",
  name: "name",
  isRenamable: true,
  create: step(priceGroupOperations.create),
  steps: [step(priceGroupOperations.update)],
  target: ({ id }) => ({ priceGroupId: id }),
  prune: { step: step(priceGroupOperations.remove), enabled: null, disabled: {} },
  list: async (db) =>
    (await listPriceGroups(db)).map((group) => ({
      id: group.id,
      name: group.name,
      view: priceGroupOperations.viewOf(group),
    })),
  read: async (db, { id }) => priceGroupOperations.viewOf(await getPriceGroup(db, id)),
});

const people = (own: Pick<Kind, "noun" | "section" | "create">): Kind =>
  kind({
    ...own,
    name: "email",
    steps: [step(userOperations.setRole), step(userOperations.setStatus)],
    target: ({ id, parentId }) => ({ userId: id, accountId: parentId ?? undefined }),
    prune: { step: step(userOperations.remove), enabled: null, disabled: {} },
    list: async (db, parentId) =>
      (await listUsers(db, { accountId: parentId as AccountId | null })).map((user) => ({
        id: user.id,
        name: user.email,
        view: user,
      })),
    read: async (db, { id, parentId }) =>
      await getUser(db, { userId: id, accountId: parentId as AccountId | null }),
    advise: async (_, { name, isNew, isTrial }) =>
      isNew && !isTrial
        ? `${name} has no password yet: \`user reset-password --email ${name}\` prints a link to set one`
        : null,
  });

const users = people({ noun: "user", section: "users", create: step(userOperations.createFromFile) });

const operators = people({
  noun: "operator",
  section: "operators",
  create: step(userOperations.createFromFile, { accountId: null }),
});

const accounts = kind({
  noun: "account",
  section: "accounts",
  name: "name",
  isRenamable: true,
  // Its users are separate objects here.
  create: step(accountOperations.create, { email: undefined }),
  steps: [
    step(accountOperations.rename),
    step(accountOperations.setStatus),
    step(accountOperations.setLimits),
    step(accountOperations.setQuota, { reason: "configuration files" }),
    step(accountOperations.setStoresResponses),
    step(accountOperations.setCarriesTopups),
    step(priceGroupOperations.assign),
  ],
  target: ({ id }) => ({ accountId: id }),
  references: { priceGroupId: () => priceGroups },
  // The ledger names accounts, so they are never removed.
  prune: {
    step: step(accountOperations.setStatus),
    enabled: { status: "active" },
    disabled: { status: "disabled" },
  },
  list: async (db) =>
    (await listAccounts(db)).map((account) => ({
      id: account.id,
      name: account.name,
      view: accountOperations.view(account),
    })),
  read: async (db, { id }) => accountOperations.view(await getAccount(db, id as AccountId)),
  children: [users, keys],
});

/** An object comes after those that it may name. */
export const kinds: readonly Kind[] = [models, channels, priceGroups, accounts, operators];

const withChildren = (all: readonly Kind[]): Kind[] =>
  all.flatMap((each) => [each, ...withChildren(each.children)]);

/** All kinds, an object's own kind before those of the objects that belong to it. */
export const allKinds = withChildren(kinds);

const referenced = new Set(
  allKinds.flatMap(({ references }) => Object.values(references).map((other) => other())),
);

/** Whether objects of other kinds name objects of this kind. */
export const isReferenced = (each: Kind): boolean => referenced.has(each);
