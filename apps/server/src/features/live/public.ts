/** Live changes of envelopes, sent to open pages. */
export { createLive } from "./create-live.ts";
