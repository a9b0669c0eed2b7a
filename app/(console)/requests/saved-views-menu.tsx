import { useLocalStorage } from "@mantine/hooks";
import { IconBookmark, IconPlus, IconTrash } from "@tabler/icons-react";
import { createLoader, createSerializer } from "nuqs/server";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { ActionMenu } from "../_components/fields/action-menu";
import { useViewer } from "../_components/shell/viewer";
import { type CallParameters, callParsers, noFilter } from "./call-filter";
import { formatViews, parseViews, type SavedView } from "./saved-views";
import type { ChangeParameters } from "./use-calls";

const { live: _, request: __, ...kept } = callParsers;
const searchOf = createSerializer(kept);
const parametersOf = createLoader(kept);

const SaveDialog = onDemand(() => import("./save-view-dialog").then((module) => module.SaveViewDialog));

type Props = { parameters: CallParameters; onChange: ChangeParameters };

/** The named filters of the list, to choose one, name the current one, or forget one. */
export function SavedViewsMenu({ parameters, onChange }: Props) {
  const t = useTranslations("requests.views");
  const { id } = useViewer();
  // Not in a cookie: the server has no use for them, and each person of a browser has their own.
  const [views, keep] = useLocalStorage<SavedView[]>({
    key: `views ${id}`,
    defaultValue: [],
    deserialize: parseViews,
    serialize: formatViews,
  });
  const [isSaving, setSaving] = useState(false);
  const search = searchOf(parameters);
  const current = views.find((view) => view.search === search);
  return (
    <>
      <ActionMenu
        label={t("title")}
        isNamed
        icon={<IconBookmark size={16} aria-hidden />}
        entries={[
          ...views.map((view) => ({
            label: view.name,
            icon: IconBookmark,
            isCurrent: view === current,
            onChoose: () => void onChange({ ...noFilter, ...parametersOf(view.search) }),
          })),
          { label: t("save"), icon: IconPlus, onChoose: () => setSaving(true) },
          ...(current
            ? [
                {
                  label: t("delete", { name: current.name }),
                  icon: IconTrash,
                  isDanger: true,
                  onChoose: () => keep(views.filter((view) => view !== current)),
                },
              ]
            : []),
        ]}
      />
      {isSaving && <SaveDialog {...{ views, search }} onSave={keep} onClose={() => setSaving(false)} />}
    </>
  );
}
