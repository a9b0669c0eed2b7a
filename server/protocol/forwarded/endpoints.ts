import { imageEdits, images } from "./images";
import { moderations } from "./moderations";
import { rerank } from "./rerank";
import { speech } from "./speech";

/** The forwarded endpoints, by their upstream operation. */
export const forwardedEndpoints = { images, imageEdits, speech, rerank, moderations } as const;
