import { sql } from "drizzle-orm";
import { languageOf } from "@/server/base/language";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { EventType, Role } from "@/server/domain/enums";

const { mailRecipients, userIdentities, users } = tables;

/** The events that a person gets without having chosen any; other roles get none. */
const usualEvents: Partial<Record<Role, EventType[]>> = {
  owner: ["quota.threshold", "spend.anomaly"],
  operator: ["channel.failing", "channel.recovered"],
};

/**
 * Subscribes people who can sign in and have no choice yet. A person who chose no events, or left by a link, has a
 * choice. Repeating it changes nothing.
 */
export async function subscribeByDefault(db: Db): Promise<void> {
  for (const [role, events = []] of Object.entries(usualEvents)) {
    await ormOf(db).execute(sql`
      insert into ${mailRecipients} (user_id, events, language)
      select ${users.id}, ${sql.param(events)}::text[], coalesce(${users.language}, ${languageOf(null)})
      from ${users}
      where ${users.role} = ${role} and ${users.status} = 'active'
        and (${users.passwordHash} is not null
          or exists (select from ${userIdentities} where ${userIdentities.userId} = ${users.id}))
        and not exists (select from ${mailRecipients} where ${mailRecipients.userId} = ${users.id})
      on conflict do nothing`);
  }
}
