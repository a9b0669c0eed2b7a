import { Button } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { EmptyState } from "./empty-state";

/** Says that no row matches the filters, and offers to clear them. */
export function NoMatch({ onClear, ...words }: { title: string; text?: string; onClear: () => void }) {
  const t = useTranslations("common");
  return (
    <EmptyState
      {...words}
      icon={<IconSearch size={32} />}
      action={
        <Button variant="default" onClick={onClear}>
          {t("clearFilters")}
        </Button>
      }
    />
  );
}
