import { eq } from "drizzle-orm";
import type { Vault } from "@/server/base/vault";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";

const { channels } = tables;

/** null: it was sealed with another key. */
function openOrNull(vault: Vault, sealed: string): string | null {
  try {
    return vault.open(sealed);
  } catch {
    return null;
  }
}

/**
 * The place of each secret among a channel's credentials, null if it is not there, and how many credentials the channel
 * has. The comparison is made here, so that no credential leaves the room.
 */
export async function findCredentials(
  db: Db,
  { channelId, secrets }: { channelId: ChannelId; secrets: readonly string[] },
  vault: Vault,
): Promise<{ places: (number | null)[]; count: number }> {
  const [row] = await ormOf(db)
    .select({ credentials: channels.credentials })
    .from(channels)
    .where(eq(channels.id, channelId));
  const opened = (row?.credentials ?? []).map((sealed) => openOrNull(vault, sealed));
  const places = secrets.map((secret) => opened.indexOf(secret));
  return { places: places.map((place) => (place === -1 ? null : place)), count: opened.length };
}
