import { Button, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import type { useQueryStates } from "nuqs";
import { debounce } from "nuqs";
import { useTranslations } from "use-intl";
import type { Action } from "@/server/audit";
import { AccountSelect } from "../_components/fields/lazy-selects";
import type { AuditFilter, auditParsers } from "./audit-list";

type SetAuditFilter = ReturnType<typeof useQueryStates<typeof auditParsers>>[1];

/** The search starts when typing pauses this long. */
const TYPING_MS = 300;

/** The kind of object that was changed: the first part of each action. */
type ActionGroup = Action extends `${infer First}.${string}` ? First : never;
const groupOf = (action: Action) => action.split(".", 1)[0] as ActionGroup;

type Props = { actions: readonly Action[]; filter: AuditFilter; setFilter: SetAuditFilter };

function ActionSelect({ actions, filter, setFilter }: Props) {
  const t = useTranslations("audit");
  const data = [...new Set(actions.map(groupOf))].map((group) => ({
    group: t(`group.${group}`),
    items: actions
      .filter((action) => groupOf(action) === group)
      .map((action) => ({ value: action, label: t(`action.${action}`) })),
  }));
  return (
    <NativeSelect
      className={filter.action ? undefined : "any-choice"}
      label={t("actionFilter")}
      data={[{ value: "", label: t("anyAction") }, ...data]}
      value={filter.action ?? ""}
      onChange={(event) => void setFilter({ action: event.currentTarget.value || null })}
    />
  );
}

export function AuditFilters(props: Props) {
  const t = useTranslations("audit");
  const common = useTranslations("common");
  const { filter, setFilter } = props;
  const text = (member: "actor" | "target") => ({
    value: filter[member] ?? "",
    onChange: (event: { currentTarget: { value: string } }) =>
      void setFilter(
        { [member]: event.currentTarget.value.trim() || null },
        { limitUrlUpdates: debounce(TYPING_MS) },
      ),
  });
  const day = (member: "from" | "until") => ({
    value: filter[member] ?? "",
    onChange: (event: { currentTarget: { value: string } }) =>
      void setFilter({ [member]: event.currentTarget.value || null }),
  });
  const isFiltered = Object.values(filter).some((value) => value !== null);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" mb="md">
      <ActionSelect {...props} />
      <AccountSelect value={filter.account} onChange={(account) => void setFilter({ account })} />
      <TextInput label={t("actor")} placeholder={t("actorHint")} maxLength={254} {...text("actor")} />
      <TextInput label={t("targetFilter")} maxLength={300} {...text("target")} />
      <TextInput type="date" label={t("from")} {...day("from")} />
      <TextInput type="date" label={t("until")} {...day("until")} />
      {isFiltered && (
        <Button variant="subtle" mt="auto" onClick={() => void setFilter(null)}>
          {common("clearFilters")}
        </Button>
      )}
    </SimpleGrid>
  );
}
