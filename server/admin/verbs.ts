/** Constructors of routes by method, and by the effect of a repeat. */
import { route } from "./route";

export const get = route({ method: "GET", status: 200, isKept: false });
/** Creates a resource. */
export const create = route({ method: "POST", status: 201, isKept: true });
/** An action that is harmless to repeat. */
export const act = route({ method: "POST", status: 200, isKept: false });
export const patch = route({ method: "PATCH", status: 200, isKept: false });
export const remove = route({ method: "DELETE", status: 200, isKept: false });
