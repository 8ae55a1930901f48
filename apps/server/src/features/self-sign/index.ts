/** Signing a document of one's own (« Auto-signature »). */
export { selfSignRoutes } from "./routes.ts";
