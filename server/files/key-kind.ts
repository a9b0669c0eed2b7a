import { getKey, hasSecret, listKeys } from "@/server/access";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { keyOperations } from "@/server/operations";
import { kind, type SecretMember, step } from "./kind";

/** A secret from the operator's own store, so that programs can have it before the key exists. */
const ownSecret: SecretMember = {
  member: "secret",
  isList: false,
  fresh: ([secret]) => secret,
  changed: async ({ db, secrets: own }, { id, secrets: [secret = ""] }) => {
    const peppers = { pepper: own.keyPepper, previousPepper: own.previous.keyPepper };
    return (await hasSecret(db, { keyId: id as KeyId }, { ...peppers, secret })) ? undefined : secret;
  },
};

const refOf = (id: string, parentId: string | null) => ({
  keyId: id as KeyId,
  accountId: (parentId ?? undefined) as AccountId | undefined,
});

export const keys = kind({
  noun: "key",
  section: "keys",
  name: "name",
  isRenamable: true,
  create: step(keyOperations.createFromFile),
  steps: [step(keyOperations.update), step(keyOperations.setStatus), step(keyOperations.setSecret)],
  target: ({ id, parentId }) => ({ keyId: id, accountId: parentId }),
  secret: ownSecret,
  // A deleted key's secret would never be valid again, even if the file comes back.
  prune: {
    step: step(keyOperations.setStatus),
    enabled: { status: "active" },
    disabled: { status: "disabled" },
  },
  list: async (db, parentId) =>
    (await listKeys(db, { accountId: (parentId ?? undefined) as AccountId | undefined })).map((key) => ({
      id: key.id,
      name: key.name,
      view: keyOperations.view(key),
    })),
  read: async (db, { id, parentId }) => keyOperations.view(await getKey(db, refOf(id, parentId))),
  advise: async (_, { id, name, hasSecret: isNamed, isNew, isTrial }) =>
    isNew && !isNamed && !isTrial
      ? `nobody knows the secret of key ${name} yet: \`key rotate --key ${id} --keep-old 0\` prints a new one`
      : null,
});
