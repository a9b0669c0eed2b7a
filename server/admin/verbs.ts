/** Routes by their method, and by what a repeat of it does. */
import { route } from "./route";

export const get = route({ method: "GET", status: 200, isKept: false });
/** Makes something. */
export const create = route({ method: "POST", status: 201, isKept: true });
/** Does something that is harmless to do twice. */
export const act = route({ method: "POST", status: 200, isKept: false });
export const patch = route({ method: "PATCH", status: 200, isKept: false });
export const remove = route({ method: "DELETE", status: 200, isKept: false });
