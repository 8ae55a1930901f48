/** Live changes: what happens to one's envelopes, told to the pages that are open. */
export { createLive, type Live } from "./create-live.ts";
export { liveRoutes } from "./routes.ts";
