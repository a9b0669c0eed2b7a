"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsBoolean, useQueryState } from "nuqs";
import { addresses } from "@/app/addresses";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { ChannelEditor, NewSale } from "../lazy-editor";

export function NewChannelScreen() {
  const router = useRouter();
  const [isByHand] = useQueryState("byHand", parseAsBoolean.withDefault(false));
  const choices = useQuery(useTRPC().channels.choices.queryOptions());
  if (choices.data && !isByHand) {
    return <NewSale choices={choices.data} />;
  }
  return choices.data ? (
    <ChannelEditor channel={null} choices={choices.data} onSaved={() => router.push(addresses.channels())} />
  ) : (
    <QueryState query={choices} lines={8} />
  );
}
