import { routeOf } from "@/server/routes";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = routeOf("videoTasks");
