import { z } from "zod";
import { deleteKey, issueKey, lockKey, setKeyStatus, updateKey } from "@/server/access";
import { KeyTerms } from "@/server/access/schema";
import { isUnpriced, listCatalog } from "@/server/catalog";
import { ownerChange } from "../changes";
import { keyChange, showKey, showKeyDays, showKeyPage, termsOf } from "../key-views";
import { ownerProcedure, router } from "../trpc";
import { Moment, Money, Page } from "../wire";

const keyId = z.string().min(1).max(100);
const Key = z.strictObject({ keyId });

const Status = z.enum(["active", "disabled"]);

const Listing = Page.extend({
  search: z.string().max(100).optional(),
  status: z.enum(["active", "disabled", "expired"]).optional(),
});

/** What may be said of a key, as it travels. */
const Terms = KeyTerms.extend({ expiresAt: Moment.nullable(), monthlyCap: Money.nullable() });

export const keysRouter = router({
  list: ownerProcedure
    .input(Listing)
    .query(({ ctx, input }) => showKeyPage(ctx.runtime, { ...input, accountId: ctx.accountId })),
  get: ownerProcedure
    .input(Key)
    .query(({ ctx, input }) => showKey(ctx.runtime, { ...input, accountId: ctx.accountId })),
  days: ownerProcedure
    .input(Key)
    .query(({ ctx, input }) => showKeyDays(ctx.runtime, { ...input, accountId: ctx.accountId })),
  /** What a form offers: the models on sale, and where the reader calls from. */
  choices: ownerProcedure.query(async ({ ctx }) => {
    const models = (await listCatalog(ctx.runtime.db.orm)).filter(
      (model) => model.isEnabled && !isUnpriced(model),
    );
    return { address: ctx.address, models: models.map(({ id, kind }) => ({ id, kind })) };
  }),
  create: ownerChange.input(Terms.partial().required({ name: true })).mutation(async ({ ctx, input }) => {
    const terms = { ...input, accountId: ctx.accountId };
    const { secret, ...key } = await issueKey(ctx.db, terms, ctx.runtime.secrets.keyPepper);
    await ctx.record(keyChange("key.create", key, { after: key }));
    return { id: key.id, name: key.name, models: key.models, secret };
  }),
  update: ownerChange.input(Terms.partial().extend({ keyId })).mutation(async ({ ctx, input }) => {
    const target = { keyId: input.keyId, accountId: ctx.accountId };
    const before = await lockKey(ctx.db, target);
    const after = await updateKey(ctx.db, { ...input, ...target });
    await ctx.record(keyChange("key.update", after, { before, after }));
    return termsOf(after);
  }),
  setStatus: ownerChange.input(Key.extend({ status: Status })).mutation(async ({ ctx, input }) => {
    const target = { keyId: input.keyId, accountId: ctx.accountId };
    const before = await lockKey(ctx.db, target);
    const after = await setKeyStatus(ctx.db, { ...target, status: input.status });
    const action = input.status === "active" ? "key.enable" : "key.disable";
    await ctx.record(keyChange(action, after, { before, after }));
  }),
  delete: ownerChange.input(Key).mutation(async ({ ctx, input }) => {
    const key = await deleteKey(ctx.db, { ...input, accountId: ctx.accountId });
    await ctx.record(keyChange("key.delete", key, { before: key }));
  }),
});
