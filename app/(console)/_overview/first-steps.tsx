import { Button, List, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useTRPC } from "../_components/data/trpc";
import { beside } from "../_components/shell/stale-note";
import { useMay } from "../_components/shell/viewer";
import { Snippets } from "../_components/snippets/snippets";
import { Dimmed } from "../_components/tables/dimmed";
import { type FirstSteps, FOLLOW_MS } from "./overview";
import { Section } from "./section";

const steps = [
  { text: "stepKey", fact: "hasKey" },
  { text: "stepCall", fact: "hasCall" },
  { text: "stepCharge", fact: "hasCharge" },
] as const;

function Step({ number, text, isDone }: { number: number; text: string; isDone: boolean }) {
  const t = useTranslations("overview");
  return (
    <List.Item
      icon={
        <ThemeIcon size={24} radius="xl" variant={isDone ? "filled" : "default"} color="indigo" aria-hidden>
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

/** The steps to the first call; hidden once a call was charged. */
export function FirstStepsCard() {
  const t = useTranslations("overview");
  const { data } = useQuery(
    useTRPC().overview.firstSteps.queryOptions(undefined, {
      ...beside,
      refetchInterval: (query) => (query.state.data?.hasCharge ? false : FOLLOW_MS),
    }),
  );
  if (!data || data.hasCharge) {
    return null;
  }
  return (
    <Section title={t("stepsTitle")}>
      <Dimmed>{t("stepsText")}</Dimmed>
      <List type="ordered" spacing="xs" center aria-live="polite">
        {steps.map(({ text, fact }, index) => (
          <Step key={fact} number={index + 1} text={t(text)} isDone={data[fact]} />
        ))}
      </List>
      <NextStep {...data} />
    </Section>
  );
}
