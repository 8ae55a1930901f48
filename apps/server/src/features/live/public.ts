/** Live changes: what happens to one's envelopes, told to the pages that are open. */
export { createLive } from "./create-live.ts";
