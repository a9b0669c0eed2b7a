import type { z } from "zod";
import type { Config } from "@/server/base/config";
import type { Permission } from "@/server/base/facts";
import type { Side } from "@/server/base/roles";
import type { Secrets } from "@/server/base/secrets";
import type { Billing } from "@/server/billing";
import type { Catalog } from "@/server/catalog";
import type { Channels } from "@/server/channels";
import type { Database } from "@/server/db";
import type { Videos } from "@/server/videos";

/** What queries read from. The process's runtime is one. */
export type Reading = {
  db: Database;
  config: Config;
  secrets: Secrets;
  billing: Pick<Billing, "period">;
  catalog: Pick<Catalog, "list">;
  channels: Pick<Channels, "explainRoutes" | "test" | "states">;
  videos: Pick<Videos, "find" | "list">;
};

/** Something that people read by more than one door, declared once. */
export type Query<Input extends z.ZodObject = z.ZodObject, Result = unknown> = {
  needs: Permission;
  /** As it travels; strict. A member `accountId` is the session's where somebody of an account asks. */
  input: Input;
  /** What it reads may be some seconds old, as long as it knows what its own server has changed. */
  mayLag?: true;
  /** Money in decimals of the currency unit. `side`: whose side asks. Throws Refusal. */
  read: (reading: Reading, input: z.output<Input>, side: Side) => Promise<Result>;
};

/** Infers the types of a declaration. */
export const query = <Input extends z.ZodObject, Result>(declared: Query<Input, Result>) => declared;
