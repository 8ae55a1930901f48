/** One's own data: a copy of it all, and its erasure. */
export { registerPersonalDataJobs } from "./jobs.ts";
export { personalDataRoutes } from "./routes.ts";
