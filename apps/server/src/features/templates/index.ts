/** Templates: prepared envelopes without their people. */
export { eraseOwnedTemplates } from "./erase-owned-templates.ts";
export { selectLayouts } from "./layout-store.ts";
export { presentTemplate } from "./present-template.ts";
export { selectTemplates } from "./store.ts";
export { templateRoutes } from "./routes.ts";
