/** Kinds of columns that several tables have. */
import { bigint, customType, timestamp } from "drizzle-orm/pg-core";
import type { Nanos } from "@/server/base/money";

/** Money, or a price. */
export const nanos = () => bigint({ mode: "bigint" }).$type<Nanos>();

/** A number that a JavaScript number holds exactly. */
export const count = () => bigint({ mode: "number" });

export const moment = () => timestamp({ withTimezone: true, mode: "date" });

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
