import { Button, Group, Stack, Text } from "@mantine/core";
import { type SubmitEvent, useCallback, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../../_components/data/on-demand";
import { Dimmed } from "../../_components/tables/dimmed";
import type { GridRow } from "../catalog";
import { BeginField } from "./begin-field";
import {
  changesOf,
  chargedBy,
  type GridDraft,
  hasWrongPrice,
  marginOf,
  markedUp,
  rowKey,
} from "./grid-draft";
import { type Filter, GridFilter } from "./grid-filter";
import { GridTable } from "./grid-table";
import { MarkUp } from "./mark-up";
import { ReviewDialog } from "./review-dialog";

const CostDialog = onDemand(() => import("../../margin/cost-dialog").then((module) => module.CostDialog));

/** A button shows further rows. */
const ROWS_AT_ONCE = 150;

type Props = { rows: GridRow[]; begins: string; onBegins: (begins: string) => void; onSaved: () => void };

/**
 * Edits many prices at once. A save is one transaction; a price that another operator has changed meanwhile is
 * refused.
 */
export function GridForm({ rows, begins, onBegins, onSaved }: Props) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const [draft, setDraft] = useState<GridDraft>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState<Filter>({ search: "", show: "all" });
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const [costed, setCosted] = useState<string | null>(null);
  const [isReviewed, setReviewed] = useState(false);
  const charged = useMemo(() => chargedBy(draft, rows), [draft, rows]);
  const type = useCallback(
    (id: string, text: string) => setDraft((was) => new Map([...was, [id, text]])),
    [],
  );

  const sought = filter.search.trim().toLowerCase();
  const changes = changesOf(draft, rows);
  const changed = new Set(changes.map(({ row }) => rowKey(row)));
  const isShown = (row: GridRow) =>
    ({
      all: true,
      enabled: row.isEnabled,
      belowCost: marginOf(row, charged(row))?.isBelowCost ?? false,
      changed: changed.has(rowKey(row)),
      chosen: chosen.has(rowKey(row)),
    })[filter.show];
  const listed = rows.filter(
    (row) => isShown(row) && `${row.modelId} ${row.ownedBy} ${row.name}`.toLowerCase().includes(sought),
  );
  const marked = rows.filter((row) => chosen.has(rowKey(row)));
  const isEvery = listed.length > 0 && listed.every((row) => chosen.has(rowKey(row)));
  const choose = (id: string, isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, id] : [...chosen].filter((other) => other !== id)));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setReviewed(changes.length > 0 && !hasWrongPrice(draft));
  };
  return (
    <>
      <form method="post" noValidate onSubmit={submit}>
        <Stack>
          <GridFilter value={filter} onChange={setFilter}>
            <Button
              variant="default"
              disabled={listed.length === 0}
              onClick={() => setChosen(new Set(isEvery ? [] : listed.map(rowKey)))}
            >
              {isEvery ? t("gridChooseNone") : t("gridChooseAll", { count: listed.length })}
            </Button>
            <BeginField value={begins} onChange={onBegins} />
          </GridFilter>
          {listed.length > 0 ? (
            <GridTable
              rows={listed.slice(0, shown)}
              {...{ draft, charged, chosen }}
              onType={type}
              onChoose={choose}
              onCost={setCosted}
            />
          ) : (
            <Text c="dimmed">{t("noMatchTitle")}</Text>
          )}
          {listed.length > shown && (
            <Group justify="center">
              <Button variant="default" onClick={() => setShown(shown + ROWS_AT_ONCE)}>
                {t("gridMore", { count: listed.length - shown })}
              </Button>
            </Group>
          )}
          <Dimmed>{t("gridHint")}</Dimmed>
          <Group
            justify="flex-end"
            align="flex-end"
            gap="sm"
            className="save-bar"
            data-floats={chosen.size > 0 || changes.length > 0 || undefined}
          >
            {chosen.size > 0 && (
              <MarkUp rows={marked} onApply={(terms) => setDraft(markedUp(draft, marked, terms))} />
            )}
            <Group gap="sm" justify="flex-end">
              <Text size="sm" c="dimmed" role="status">
                {t("gridChanges", { count: changes.length })}
              </Text>
              {draft.size > 0 && (
                <Button variant="default" onClick={() => setDraft(new Map())}>
                  {common("undo")}
                </Button>
              )}
              <Button type="submit" disabled={changes.length === 0 || hasWrongPrice(draft)}>
                {t("gridReview")}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
      {costed !== null && <CostDialog modelId={costed} onClose={() => setCosted(null)} />}
      {isReviewed && (
        <ReviewDialog
          {...{ changes, charged, begins }}
          onSaved={onSaved}
          onClose={() => setReviewed(false)}
        />
      )}
    </>
  );
}
