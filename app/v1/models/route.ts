import { routeOf } from "@/server/routes";

export const { GET, POST, PUT, PATCH, DELETE } = routeOf("models");
