import { routeOf } from "@/server/process/endpoints";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = routeOf("/v1/conversations/[conversationId]/items");
