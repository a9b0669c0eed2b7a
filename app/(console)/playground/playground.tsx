"use client";

import { Skeleton, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import type { ComponentType } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import type { Model } from "../models/model";

type Pane = ComponentType<{ models: Model[] }>;

const Coming = () => <Skeleton height={480} />;

const ConversationPane = onDemand(
  () => import("./conversation-pane").then((pane) => pane.ConversationPane),
  Coming,
);

const tabs = ["chat", "messages", "embeddings", "video"] as const;

const panes: Record<(typeof tabs)[number], Pane> = {
  chat: (props) => <ConversationPane dialect="chat" {...props} />,
  messages: (props) => <ConversationPane dialect="messages" {...props} />,
  embeddings: onDemand(() => import("./embeddings-pane").then((pane) => pane.EmbeddingsPane), Coming),
  video: onDemand(() => import("./video-pane").then((pane) => pane.VideoPane), Coming),
};

/** Tries each endpoint as the session's account. A tab loads when it is first opened. */
export function Playground() {
  const t = useTranslations("playground");
  const trpc = useTRPC();
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(tabs).withDefault("chat"));
  const query = useQuery(trpc.models.list.queryOptions());
  return (
    <Tabs
      value={tab}
      onChange={(value) => void setTab(tabs.find((name) => name === value) ?? null)}
      keepMounted={false}
    >
      <Tabs.List mb="lg">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`tabs.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((name) => {
        const Shown = panes[name];
        return (
          <Tabs.Panel key={name} value={name}>
            {query.data ? <Shown models={query.data} /> : <QueryState query={query} lines={8} />}
          </Tabs.Panel>
        );
      })}
    </Tabs>
  );
}
