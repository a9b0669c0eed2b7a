import { useLocalStorage } from "@mantine/hooks";
import { IconBookmark, IconPlus, IconTrash } from "@tabler/icons-react";
import { createLoader, createSerializer, type inferParserType, type ParserMap } from "nuqs/server";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../data/on-demand";
import { ActionMenu } from "../fields/action-menu";
import { useViewer } from "../shell/viewer";
import { formatViews, parseViews, type SavedView } from "./saved-views";

const SaveDialog = onDemand(() => import("./save-view-dialog").then((module) => module.SaveViewDialog));

type Props<Parsers extends ParserMap> = {
  /** The list to which the views belong. */
  list: string;
  /** The parameters of the address that a view keeps. */
  parsers: Parsers;
  parameters: inferParserType<Parsers>;
  onChange: (parameters: inferParserType<Parsers>) => unknown;
};

/** The named filters of a list, to choose one, name the current one, or forget one. */
export function SavedViewsMenu<Parsers extends ParserMap>(props: Props<Parsers>) {
  const { list, parsers, parameters, onChange } = props;
  const t = useTranslations("common.views");
  const { id } = useViewer();
  // Not in a cookie: the server has no use for them, and each person of a browser has their own.
  const [views, keep] = useLocalStorage<SavedView[]>({
    key: `views ${list} ${id}`,
    defaultValue: [],
    deserialize: parseViews,
    serialize: formatViews,
  });
  const [isSaving, setSaving] = useState(false);
  const search = createSerializer(parsers)(parameters);
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
            onChoose: () => void onChange(createLoader(parsers)(view.search)),
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
