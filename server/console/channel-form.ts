import { findModel, listCatalog } from "@/server/catalog";
import { vendors } from "@/server/channels";
import type { Runtime } from "@/server/process/runtime";

/** What a form offers: the presets, and the names that clients know. */
export async function showChannelChoices({ db }: Runtime) {
  return {
    vendors: vendors.map(({ id, name, dialect, baseUrl }) => ({ id, name, dialect, baseUrl })),
    models: (await listCatalog(db)).map(({ id }) => id),
  };
}

type Draft = Parameters<Runtime["channels"]["testDraft"]>[0];

/** A test, as of a stored channel, of one that is in a form only. */
export async function testDraft({ db, channels }: Runtime, draft: Draft, modelId: string) {
  const kind = (await findModel(db, modelId))?.kind;
  return await channels.testDraft(draft, { modelId, kind });
}
