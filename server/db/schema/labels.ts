import { boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "./columns";

/** The objects that configuration files name, each under the label of its files. */
export const labelledObjects = pgTable(
  "labelled_objects",
  {
    /** Such as `channel`. */
    kind: text().notNull(),
    objectId: text().notNull(),
    label: text().notNull(),
    /** The object that it belongs to, such as a key's account; null: none. */
    parentId: text(),
    /** Its name in the files. null: the name cannot change, so the object itself is enough to find it. */
    name: text(),
    /** Whether an apply created it: only such an object is ever pruned. */
    isCreated: boolean().notNull(),
    /** An apply disabled it because no file names it any more. */
    isPruned: boolean().notNull().default(false),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.objectId] }),
    index("labelled_objects_parent").on(table.parentId),
  ],
);
