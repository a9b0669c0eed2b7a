import { findModel, listCatalog } from "@/server/catalog";
import { vendors } from "@/server/channels";
import type { Runtime } from "@/server/runtime/runtime";

/** Choices of a form: the presets, and the models' public names. */
export async function showChannelChoices({ db }: Runtime) {
  return {
    vendors: vendors.map(({ id, name, dialect, baseUrl, keyPrefix = null }) => ({
      ...{ id, name, dialect, baseUrl, keyPrefix },
    })),
    models: (await listCatalog(db)).map(({ id }) => id),
  };
}

type ChannelTestDraft = Parameters<Runtime["channels"]["testDraft"]>[0];

/** Tests a channel that exists only in a form, as a stored one is tested. */
export async function testDraft({ db, channels }: Runtime, draft: ChannelTestDraft, modelId: string) {
  const kind = (await findModel(db, modelId))?.kind;
  return await channels.testDraft(draft, { modelId, kind });
}
