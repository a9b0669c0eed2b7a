import { Button, List, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconCheck, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FOLLOW_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { optionalQuery } from "../_components/shell/stale-note";
import { useMay } from "../_components/shell/viewer";
import { Snippets } from "../_components/snippets/snippets";
import { Dimmed } from "../_components/tables/dimmed";
import type { FirstSteps } from "./overview";
import { Section } from "./section";

// Few owners see it, so pages load its script separately. The server renders it, so that nothing moves when the script
// arrives.
const FirstCall = dynamic(() => import("./first-call").then((module) => module.FirstCall));

const steps = [
  { text: "stepKey", fact: "hasKey" },
  { text: "stepCall", fact: "hasCall" },
  { text: "stepCharge", fact: "hasCharge" },
] as const;

/** A numbered step, ticked once it is done. */
export function Step({ number, text, isDone }: { number: number; text: string; isDone: boolean }) {
  const t = useTranslations("overview");
  return (
    <List.Item
      icon={
        <ThemeIcon size={24} radius="xl" variant={isDone ? "filled" : "default"} color="brand" aria-hidden>
          {isDone ? <IconCheck size={16} /> : <span>{number}</span>}
        </ThemeIcon>
      }
    >
      {text}
      <VisuallyHidden>{` (${t(isDone ? "stepDone" : "stepOpen")})`}</VisuallyHidden>
    </List.Item>
  );
}

function NextStep({ hasKey, model }: FirstSteps) {
  const mayCreate = useMay("keys.write");
  const t = useTranslations("overview");
  return (
    <Stack gap="sm" className="grow">
      {!hasKey && mayCreate && (
        <Button
          component={Link}
          href={addresses.keys({ create: true })}
          leftSection={<IconPlus size={16} aria-hidden />}
          style={{ alignSelf: "flex-start" }}
        >
          {t("createKey")}
        </Button>
      )}
      {model === null ? (
        <Text size="sm">{t("noModel")}</Text>
      ) : (
        <>
          <Text size="sm">{t("snippetText")}</Text>
          <Snippets kind="chat" secret={null} model={model} />
        </>
      )}
    </Stack>
  );
}

/** The figures of the month and of the chart change with the first charge. */
function useFreshFigures(firstCall: string | null): void {
  const { overview, usage } = useTRPC();
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another first call makes the figures old
  useEffect(() => {
    if (firstCall !== null) {
      for (const { queryKey } of [
        overview.month.queryFilter(),
        overview.days.queryFilter(),
        usage.show.queryFilter(),
      ]) {
        void client.invalidateQueries({ queryKey });
      }
    }
  }, [firstCall]);
}

/** The steps to the first charged call, and for a day that call with its cost. */
export function FirstStepsCard() {
  const t = useTranslations("overview");
  const { data } = useQuery(
    useTRPC().overview.firstSteps.queryOptions(undefined, {
      ...optionalQuery,
      refetchInterval: ({ state: { data: steps } }) =>
        steps?.isOver || steps?.firstCall ? false : FOLLOW_MS,
    }),
  );
  const [seen, setSeen] = useLocalStorage({ key: "first-call-seen", defaultValue: "" });
  const firstCall = data?.firstCall ?? null;
  useFreshFigures(firstCall);
  if (!data || data.isOver || (firstCall !== null && firstCall === seen)) {
    return null;
  }
  return (
    <Section title={t(data.hasCharge ? "stepsDoneTitle" : "stepsTitle")}>
      {!data.hasCharge && <Dimmed>{t("stepsText")}</Dimmed>}
      <List type="ordered" spacing="xs" center aria-live="polite">
        {steps.map(({ text, fact }, index) => (
          <Step key={fact} number={index + 1} text={t(text)} isDone={data[fact]} />
        ))}
      </List>
      {firstCall === null ? (
        !data.hasCharge && <NextStep {...data} />
      ) : (
        <FirstCall requestId={firstCall} onDone={() => setSeen(firstCall)} />
      )}
    </Section>
  );
}
