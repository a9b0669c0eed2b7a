import type { z } from "zod";
import type { Config } from "@/server/base/config";
import type { Secrets } from "@/server/base/secrets";
import type { Billing } from "@/server/billing";
import type { ModelHours } from "@/server/calls";
import type { Catalog } from "@/server/catalog";
import type { Channels } from "@/server/channels";
import type { Database } from "@/server/db";
import type { Permission } from "@/server/domain/enums";
import type { Side } from "@/server/domain/roles";
import type { Videos } from "@/server/videos";

/** The dependencies of queries. The process's runtime is one. */
export type QueryContext = {
  db: Database;
  config: Config;
  secrets: Secrets;
  billing: Pick<Billing, "period">;
  catalog: Pick<Catalog, "list">;
  channels: Pick<Channels, "explainRoutes" | "listDraftModels" | "listModels" | "test" | "states">;
  modelHours: Pick<ModelHours, "traffic">;
  videos: Pick<Videos, "find" | "list">;
};

/** A read by more than one door, declared once. */
export type Query<Input extends z.ZodObject = z.ZodObject, Result = unknown> = {
  needs: Permission;
  /** The input as it is sent; strict. For a user of an account, `accountId` is taken from the session. */
  input: Input;
  /** Its data may be some seconds old, but includes the changes made by its own server. */
  mayLag?: true;
  /** Money in decimals of the currency unit. `side`: the asker's side. Throws Refusal. */
  read: (reading: QueryContext, input: z.output<Input>, side: Side) => Promise<Result>;
};

/** Infers the types of a declaration. */
export const query = <Input extends z.ZodObject, Result>(declared: Query<Input, Result>) => declared;
