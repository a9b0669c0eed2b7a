import { imageEdits, images } from "./images";
import { moderations } from "./moderations";
import { rerank } from "./rerank";
import { speech } from "./speech";

/** The endpoints that are forwarded, by the operation that they ask an upstream for. */
export const forwardedEndpoints = { images, imageEdits, speech, rerank, moderations } as const;
