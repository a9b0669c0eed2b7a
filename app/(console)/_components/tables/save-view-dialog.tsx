import { TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import { MAX_NAME, type SavedView, withView } from "./saved-views";

type Props = {
  views: SavedView[];
  /** The current filter. */
  search: string;
  onSave: (views: SavedView[]) => void;
  onClose: () => void;
};

/** Nothing is sent: the browser keeps views. */
const kept = { isPending: false, error: null };

/** Names the current filter. */
export function SaveViewDialog({ views, search, onSave, onClose }: Props) {
  const t = useTranslations("common.views");
  const common = useTranslations("common");
  const viewsWith = (name: string) => withView(views, { name: name.trim(), search });
  const problemOf = (name: string) => {
    if (name.trim() === "") {
      return common("required");
    }
    return viewsWith(name) ? null : t("full");
  };
  const { form, field } = useFields(
    { name: "" },
    {
      checks: { name: problemOf },
      send: ({ name }) => {
        onSave(viewsWith(name) ?? views);
        onClose();
      },
    },
  );
  return (
    <FormDialog {...form} title={t("saveTitle")} action={common("save")} change={kept} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label={t("name")}
        description={t("nameHint")}
        maxLength={MAX_NAME}
        autoComplete="off"
        {...field("name")}
      />
    </FormDialog>
  );
}
