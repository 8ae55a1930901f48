import { lazyPart, lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";

/** What few drafts need, in one file of its own: the editor does not wait for it. */
const load = () => import("./draft/conflict-banner.tsx");
export const LaterAlreadySent = lazyStep(
  async () => (await load()).AlreadySent,
  "Ouverture de l’enveloppe",
);
export const LaterConflictBanner = lazyPart(async () => (await load()).ConflictBanner, null);
